"""Processes that AutoSim starts for itself: how they start, talk, and print."""
