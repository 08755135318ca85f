"""Bits by which nodes hide from cameras."""

EYE_MASK = 1
"""Cameras that make pictures."""
STANDING_MASK, MOVING_MASK = 2, 4
"""Cameras that look from the sun at what stands, and at what moves."""
SHADOW_MASK = STANDING_MASK | MOVING_MASK
"""Both: the ground, which casts no shadow, hides from them."""
