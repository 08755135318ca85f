"""The server: a physics process that steps, and a front process that holds the network.

PyBullet holds the interpreter's lock, so the simulation process (`process/`) does nothing else. The
front (`network/`) names the step that it wants next; only then does the simulation copy a state and
wake the front, so the network never slows a fast simulation. Both processes and all user programs
map one memory, which is anonymous: a killed process leaves nothing behind.

To load another world or to add a robot, the front starts a second simulation process, and drops
the first when the second is ready (`worlds/`).
"""
