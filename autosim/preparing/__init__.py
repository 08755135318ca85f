"""Worlds made ready to be simulated or shown: their files read, their maps compiled."""
