"""Grade separation: which street lies on which level, and the height of each place there."""
