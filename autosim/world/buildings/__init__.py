"""Buildings and their roofs as solids."""
