"""Tests of cyclists off the carriageways."""
