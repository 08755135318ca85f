"""People on foot: where they walk, where they are going, and how they keep clear of each other.

`pavements` finds strips to walk on beside the lanes of a compiled world, `walk_network` joins them
round corners and across streets, `destinations` knows the way from everywhere to a few places, and
`walking` moves all people in compiled kernels. `people` is what the step of traffic calls.
"""
