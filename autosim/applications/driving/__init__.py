"""Driving by hand: from keys or a joystick to the values of a drive actuator."""
