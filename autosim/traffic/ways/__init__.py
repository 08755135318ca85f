"""Ways on which people walk and ride: beside streets, across them, on paths and over squares.

`pavement_strips` finds strips to walk on beside the lanes of a compiled world. `strip_joiner` joins
them round corners and across streets, `path_ways` adds the paths of the map, and `squares` ways
over squares; all of them write into a `way_draft.WayDraft`, of which `network_builder` makes a
`WalkNetwork`. `network_cache` stores these on disk. `crossing_ways` has the people who want to
cross, and signals.
"""
