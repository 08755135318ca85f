"""Vehicles that drive by themselves along lanes, all of them together in compiled kernels."""
