"""Bits by which nodes hide from cameras."""

PICTURE_MASK, LABEL_MASK = 1, 8
"""Bits of the cameras that make pictures in colour, and of those that measure what is there."""
EYE_MASK = PICTURE_MASK | LABEL_MASK
"""Both bits: all cameras that make pictures."""
STANDING_MASK, MOVING_MASK = 2, 4
"""Bits of the cameras that look from the sun at what stands, and at what moves."""
SHADOW_MASK = STANDING_MASK | MOVING_MASK
"""Both bits: the ground, which casts no shadow, hides from them."""
