"""Sun, sky, weather, shadows and lamps."""
