"""Finds signs, signals and right of way, and gives finished lanes their heights."""
