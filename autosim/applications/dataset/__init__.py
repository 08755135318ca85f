"""`autosim dataset`: pictures with labels, depths and boxes for networks, in layouts of the field.

`collection.py` drives and draws; `scene_conditions.py` draws weather, light, materials and sensors
by seed; `box_sources.py` finds what has a box and `box_views.py` how a picture shows it;
`frame_records.py` writes a frame and `coco.py`, `kitti.py` and `nuscenes.py` the files of a layout.
"""
