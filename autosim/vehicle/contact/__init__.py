"""Where wheels touch the ground, and how well they grip there."""
