"""What stands along streets: trees, lamps, benches, walls, fences, rails."""
