"""AutoSim itself in a bench: a whole town is the virtual side, and each device is a topic.

- `device_kinds.py`: from a device of the simulation tree to a kind of message.
- `simulated_world.py`: the node that runs a world in step with the bench.
- `camera_pictures.py`: what a world's cameras see.
- `rovers.py`: what a planner for rovers needs to drive a car: poses, detections, wheels.
- `autoware.py`: a node that drives a vehicle by Autoware's topics.
"""
