"""Curves to drive along: where a car is on them, and how fast they can be driven.

Arithmetic alone, in the plane: x and y [m] in one level frame, angles [rad] counter-clockwise from
x, offsets positive to the left of the curve. It knows no tree, no devices and no engine.

- `curve.py`: polylines, open or closed. `nearest_points.py`: where places are along them, exactly.
- `ribbon.py`: the triangles beside a curve. `rasteriser.py`: draws them into texels.
- `curvilinear_table.py`: looks up where places are along a curve, as fast as controllers need it.
- `cone_track.py`: the track between cones. `laps.py`: laps on it.
- `racing.py`: its fastest line, and the speeds to drive it with.
"""
