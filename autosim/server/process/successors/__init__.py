"""Processes that continue a simulation: from a snapshot, with other robots, or from a record."""
