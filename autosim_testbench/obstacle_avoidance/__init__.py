"""Demonstration: a planner drives a rover around obstacles, virtual or real, without knowing which.

- `surroundings.py`: obstacles and boundaries, and which of them a rover perceives.
- `rover.py`: motion of a rover by its wheels.
- `motor_controller.py`: bytes for the motor controller of a real rover.
- `planner.py`: the software under test.
- `rover_nodes.py`: the nodes of the bench around it.
- `visualisation.py`: draws the tracks of rovers.
"""
