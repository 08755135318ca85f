"""Surroundings of robots: the air and the sun."""
