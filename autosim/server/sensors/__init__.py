"""Sensors that need the physics: distances and lidars, and the banks of all."""
