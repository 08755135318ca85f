"""The `PhysicsEngine` that is PyBullet: no other package knows its frames, limits and oddities.

PyBullet holds the interpreter's lock through every call and is driven by one thread. Each call
names its client, since the default is "the last one connected" and a process may hold several.
"""
