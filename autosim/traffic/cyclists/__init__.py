"""Cyclists off the carriageways: bicycles of the pool that ride on cycleways and shared paths.

`riding` moves them in compiled kernels along the ways of a network, `cyclists` is what the step of
traffic calls. Those on the lanes of streets are vehicles as all others.
"""
