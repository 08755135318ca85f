"""Builds bridges and tunnels as closed solids."""
