"""Values of OpenSCENARIO DSL: quantities, ranges, scopes, and what expressions give."""
