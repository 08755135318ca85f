"""Vehicle and tyre models for all wheels of all vehicles at once. Knows no physics engine."""
