"""Simulation Objects: the tree with its values, and the panel of the selected actuator."""
