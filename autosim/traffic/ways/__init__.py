"""Ways on which people walk and ride: beside streets, across them, on paths and over squares.

`pavements` finds strips to walk on beside the lanes of a compiled world. `beside_streets` joins
them round corners and across streets, `off_streets` adds the paths of the map, and `squares` ways
over squares; all of them write into a `drafts.WayDraft`, of which `finding` makes a `WalkNetwork`.
`kept` keeps these on disk. `crossing_ways` tells who wants to cross streets, and what signals show.
"""
