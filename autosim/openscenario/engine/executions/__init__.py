"""Executions of actions: on speed, lanes, routes and trajectories, and global ones."""
