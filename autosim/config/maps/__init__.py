"""The files that belong to a map: set-up, house list, heights, pictures."""
