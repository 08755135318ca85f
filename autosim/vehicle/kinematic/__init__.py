"""Kinematic vehicles: cars whose motion follows from commands by short equations, without forces.

`motion_equations` holds the equations, `kinematic_fleet` moves any number of vehicles in one
compiled call. Their models and parameters are listed in `autosim.kinds.kinematic`. Knows no physics
engine.
"""
