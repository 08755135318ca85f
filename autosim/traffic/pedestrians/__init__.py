"""People on foot: where they walk, where they are going, and how they keep clear of each other.

`autosim.traffic.ways` finds the ways on which they walk, `destinations` knows the way from
everywhere to a few places, and `walking` moves all people in compiled kernels.
`people` is what the step of traffic calls.
"""
