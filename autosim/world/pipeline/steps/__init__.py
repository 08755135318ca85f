"""The steps from a map to a compiled world, grouped as `pipeline.world_recipe` calls them."""
