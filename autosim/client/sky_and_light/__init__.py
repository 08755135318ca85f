"""Sun, sky, weather, shadows and lamps.

A picture begins with its shadow map (`shadows.py`): a copy of what stands, of which the last few
maps are kept so that several cameras find each its own, and in it what moves.
"""
