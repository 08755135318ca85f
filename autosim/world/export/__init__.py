"""A compiled world in the formats of other programs."""
