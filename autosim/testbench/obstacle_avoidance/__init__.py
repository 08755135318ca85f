"""Demonstration: a planner drives a rover around obstacles, virtual or real, without knowing which.

- `surroundings.py`: obstacles and boundaries, and which of them a rover perceives.
- `rover.py`: how a rover moves when its wheels turn.
- `motor_controller.py`: what the motor controller of a real rover is told.
- `planner.py`: the software under test.
- `rover_nodes.py`: the nodes of the bench around it.
- `visualisation.py`: draws where rovers went.
"""
