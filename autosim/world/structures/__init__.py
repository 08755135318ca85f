"""Builds bridges and tunnels as closed solids.

Bridges get parapets, tunnels walls and ceilings. Where a tunnel would stick out of the ground it
becomes an open cutting.
"""
