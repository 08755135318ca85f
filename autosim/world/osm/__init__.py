"""Reads OpenStreetMap files and interprets their tags."""
