"""The step of the simulation, and the records of it.

`Simulation.step` runs these phases, in this order:

1. commands: applies what has arrived to the actuators, in a fixed order.
2. actuate: casts one ray for each wheel; compiled kernels turn commands and the last state into one
   force and one torque for each body.
3. integrate: one step of the physics, of fixed length; step count and time go up.
4. sense: reads the bodies once, completes the world around them, and computes all devices of a kind
   at once. Noise is a hash of (seed, device, step).
5. publish: shows the new state to listeners (digest, track, clients).
6. barrier: wakes every user program that is due, and waits until each waits again. A program that
   raises, dies or misses its deadline is dropped and named; the robots that it drove brake.

The same files and seed, or the same command log, give the same bytes. A robot is moved between two
steps (`relocation.py`).
"""
