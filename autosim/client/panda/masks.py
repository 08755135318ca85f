"""Bits by which nodes hide from cameras."""

PICTURE_MASK, LABEL_MASK = 1, 8
"""Cameras that make pictures in colour, and those that measure: how far things are, and what."""
EYE_MASK = PICTURE_MASK | LABEL_MASK
"""Both."""
STANDING_MASK, MOVING_MASK = 2, 4
"""Cameras that look from the sun at what stands, and at what moves."""
SHADOW_MASK = STANDING_MASK | MOVING_MASK
"""Both of these: the ground, which casts no shadow, hides from them."""
