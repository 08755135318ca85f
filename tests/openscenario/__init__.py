"""Tests of OpenSCENARIO."""
