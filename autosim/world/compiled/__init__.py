"""Holds the compiled world: its arrays, its file, its tiles, and look-ups in it."""
