"""Rays against the geometry of a world and the shapes of bodies, in double precision.

A caller writes rays into a batch (`batch.py`), casts it (`ray_scene.py` at the world,
`caster.py` at the bodies, too), and reads the hits. So the kernels that search a world are
compiled once. Wheels search in their own kernel (`traversal.py`). The package knows no engine,
renderer or network.
"""
