"""Kinematic vehicles: cars whose motion follows from commands by short equations, without forces.

`laws` holds the equations, `fleet` moves any number of vehicles in one compiled call. Their models
and parameters are listed in `autosim.kinds.kinematic`. Knows no physics engine.
"""
