"""Engines, motors, gearboxes and differentials."""
