"""Reads and checks robot files, with the files that they name."""
