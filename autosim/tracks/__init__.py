"""Curves to drive along: where a car is on them, and how fast they can be driven.

Arithmetic alone, in the plane: x and y [m] in one level frame, angles [rad] counter-clockwise from
x, offsets positive to the left of the curve. It knows no tree, no devices and no engine.
"""
