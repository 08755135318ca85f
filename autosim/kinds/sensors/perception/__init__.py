"""Sensors of what is around a robot: pictures, touch, the other robots and what they say."""
