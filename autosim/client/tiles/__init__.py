"""What stands: the world's tiles, from near and from afar, and what can be left out."""
