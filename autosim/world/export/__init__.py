"""Writes a compiled world in the formats of other programs."""
