"""Compiles the behaviour of OpenSCENARIO DSL to acts of the storyboard."""
