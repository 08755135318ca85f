"""Furnishes the surroundings of streets: trees, lamps, benches, walls, fences, rails."""
