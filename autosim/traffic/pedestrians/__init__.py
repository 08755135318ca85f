"""People on foot: where they walk, where they are going, and how they keep clear of each other.

`autosim.traffic.ways` finds the ways on which they walk, `destinations` has the way from each node
to a few destinations, `pedestrian_motion` moves all people in compiled kernels, whose records
`pedestrian_rows` declares, by the parameters of `pedestrian_model`. `pedestrian_traffic` is what
the step of traffic calls.
"""
