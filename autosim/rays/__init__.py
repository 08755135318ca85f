"""Rays against what a world is built of and against the shapes of bodies, in double precision.

Users of rays write them into a batch (`batch.py`), has it cast (`ray_scene.py` at the world,
`caster.py` at the bodies, too), and reads what each has met. So the kernels that search a world are
compiled once. Wheels search in a kernel of their own (`traversal.py`). It knows no engine, renderer
or network.
"""
