"""Rigid bodies: shapes, mass and inertia, and the joints between two bodies."""
