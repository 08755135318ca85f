"""Bridges and tunnels as solids."""
