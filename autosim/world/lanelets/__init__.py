"""Worlds from maps of lanelets, such as Lanelet2: lanes that are stated by their two borders.

A reader makes `lanelet_records` of a file. `lanelet_paths` makes the paths of traffic of them,
`lanelet_network` the network of lanes, `lanelet_surfaces` the ground and solids, `lanelet_rules`
the controls and `lanelet_paint` the marks; `pipeline.lanelet_world` runs all of it.
"""
