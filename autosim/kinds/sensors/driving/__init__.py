"""Sensors of what drives a vehicle: the forces at its wheels, its motor, gearbox and steering."""
