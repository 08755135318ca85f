"""Sensors that measure distances: light, sound and radio waves."""
