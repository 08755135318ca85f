"""Contact of wheels with the ground, and the friction there."""
