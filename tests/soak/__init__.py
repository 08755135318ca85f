"""Soak tests: a server is used for hours in all its ways; what it holds must not grow.

`python -m tests.soak` and `make soak` take an hour, `test_soak.py` some rounds.
"""
