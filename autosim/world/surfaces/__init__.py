"""Divides each level into carriageway, pavement and land, and triangulates it."""
