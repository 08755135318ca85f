"""Decisions of drivers: following, lane changes, stops, and obstacles off the lanes."""
