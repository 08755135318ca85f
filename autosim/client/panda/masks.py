"""Bits by which nodes hide from cameras."""

EYE_MASK = 1
"""Bit of the cameras that make pictures."""
STANDING_MASK, MOVING_MASK = 2, 4
"""Bits of the cameras that look from the sun at what stands, and at what moves."""
SHADOW_MASK = STANDING_MASK | MOVING_MASK
"""Both bits: the ground, which casts no shadow, hides from them."""
