"""Tests of the town and of models as glTF."""
