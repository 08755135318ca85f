"""Vehicles that set out at stated times on stated routes: their files, and how they come."""
