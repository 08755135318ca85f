"""Puts a scene together and draws it."""
