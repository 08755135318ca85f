"""Grade separation: the level on which each street lies, and the height of each place there."""
