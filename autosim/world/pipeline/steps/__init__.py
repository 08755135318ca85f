"""The steps from a map to a compiled world, grouped as `world_recipe.py` calls them."""
