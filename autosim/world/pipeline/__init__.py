"""The steps from a map to a compiled world, who runs them, and the cache."""
