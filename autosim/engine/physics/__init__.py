"""PyBullet: bodies, collisions, vehicles, and the world's pieces around them.

The world comes into the physics in tiles, cut into pieces small enough for one step. What a robot
can touch is always complete; pieces within 60 m ahead are made one by one at a fixed rate, which
follows from positions and steps and never from a clock, so that every run makes the same pieces in
the same order. A piece that is far has no body but keeps its shape, which PyBullet never frees.
Each piece of a level extends 3 m below its neighbours, so that no seam is open or trips a body.
"""
