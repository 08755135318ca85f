"""Cyclists off the carriageways: bicycles of the pool that ride on cycleways and shared paths.

`rider_model` decides in compiled kernels how they ride along the ways of a network, by the
parameters of `cyclist_model`; `rider_motion` moves them; `cyclist_traffic` is what the step of
traffic calls. Cyclists on the lanes of streets are vehicles as all others.
"""
