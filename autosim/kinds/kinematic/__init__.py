"""Kinematic vehicles: their models and parameters, and the devices that command and report them."""
