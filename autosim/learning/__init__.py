"""Training of small driving policies on the processor, to the same bytes from the same seed.

`network_kernels` are the compiled layers, `ppo` is the algorithm, `training` lets it drive fleets,
and `policy_file` is what other programs read. All sums have a fixed order, so the number of threads
and the kind of processor do not change a bit.
"""
