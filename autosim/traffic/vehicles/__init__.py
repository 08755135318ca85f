"""Vehicles on the lanes of a world, which compiled kernels move.

`vehicle_pool` declares the record of a vehicle, `traffic_context` all that kernels take. Several
times per second `driving` decides, with `junctions` for the right of way and `routes` for the lanes
ahead; `vehicle_motion` moves all in each step, and `spawning` lets them come and go.
`native_vehicles` is what the step of traffic calls.
"""
