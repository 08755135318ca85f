"""Rays against what a world is built of and against the boxes of parts, in double precision.

Wheels, distance sensors and lidars see through it. It knows no engine, renderer or network.
"""
