"""Tests of OpenSCENARIO DSL."""
