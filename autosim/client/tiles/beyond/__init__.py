"""The land beyond the map: drawn only, made from the border of the ground.

`map_border.py` reads heights and surfaces along the border; `surrounding_land.py` continues them in
rings to the horizon, as sea, meadows and fields, and puts woods there. All of it follows from the
compiled world alone, so that it is the same in every view and for every client.
"""
