"""Text of OpenSCENARIO DSL: tokens with indentation, declarations and expressions."""
