"""Finds files in the search roots, keeps paths inside them, and compares files by digest."""
