"""OpenSCENARIO XML 1.0 to 1.3 and DSL 2.x: reads scenarios and executes their storyboards.

`records/` holds the content of a file, `reading/` makes it of XML and `dsl/` of DSL; both refuse by
name and line what is not executed. `road_map/` finds places on OpenDRIVE roads, `engine/` executes:
a state machine over the elements of the storyboard, conditions, actions, and the motion of entities
along lanes. Source: ASAM OpenSCENARIO XML 1.3.0.
"""
