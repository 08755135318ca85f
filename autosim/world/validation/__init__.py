"""Measures how sound a compiled world is, and names the cause at each worst place."""
