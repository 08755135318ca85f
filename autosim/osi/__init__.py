"""ASAM OSI 3.8: states of a simulation as messages, for traces and live, and TrafficUpdates.

`osi_objects/` describes what moves, `osi_map/` what does not, `host_vehicle.py` and
`sensor_views.py` a robot as its own systems see it. `osi_scene.py` joins them into topics, which
`osi_trace.py` writes to a file and `osi_server.py` serves. OSI has the axes of ISO 8855, which are
AutoSim's: world x east, y north, z up; vehicles x forward, y left, z up.
"""
