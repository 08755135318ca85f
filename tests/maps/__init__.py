"""Windows of real maps: each one is compiled, checked and driven through; failures are made small.

`python -m tests.maps` and `make maps` try those of every extract beside the checkout.
"""
