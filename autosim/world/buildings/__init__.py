"""Makes buildings and their roofs as closed solids."""
