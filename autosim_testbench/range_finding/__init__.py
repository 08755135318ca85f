"""Demonstration: a range finder on a turntable plots what is around it, in three realities.

A turntable carries an ultrasonic range finder and a compass. The virtual side knows shapes, and
computes what the range finder would see of them in the direction of the compass.

- `plane_shapes.py`, `scene_file.py`: lines, parabolas and ellipses with bounds, and the file that
  holds them.
- `error_models.py`: distributions of the sensor's error, and how they are fitted to data.
- `virtual_side.py`: the virtual environment, the model of the sensor, the compass' conversion.
- `turntable.py`: a simulated board with both sensors, for benches without one of metal.
- `sense.py`: the software under test, which turns headings and ranges into points.
"""
