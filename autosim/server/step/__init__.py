"""The step of the simulation, and what is recorded of it."""
