"""Worlds from ASAM OpenDRIVE 1.4 to 1.8: reads a file and makes the same compiled world as a map.

`xodr_reader` reads the file into `xodr_records`. `plan_view` and `road_frames` place roads and
lanes in W, `lane_links` and `lane_network` make the lanes that vehicles follow, `lane_shapes` and
`road_surfaces` the ground, and `pipeline.opendrive_world` runs all of it.
"""
