"""AlpaSim's services from a world of AutoSim, and a client for its drivers.

AlpaSim (NVIDIA, Apache-2.0) is a runtime that calls a physics, a controller, a traffic, a sensor
and a driver service by gRPC. `alpasim_server` serves the first four of them for one world, all from
one thread; `drive_client` calls the fifth. Poses are active transforms: the frame "local" is the
world's (x east, y north, z up), "rig" the middle of the rear axle on the ground with x forward and
y left, "aabb" the centre of a bounding box with the axes of the rig, and that of a camera has x
right, y down, z forward.
"""
