"""Sensors of place and attitude: where on the earth, in which lane, at which height and tilt."""
