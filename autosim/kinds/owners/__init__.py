"""Owners of a robot's belief: devices that keep `robot.state` up to date, one or none in each."""
