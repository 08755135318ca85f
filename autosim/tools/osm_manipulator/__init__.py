"""The OSM Manipulator: furnishes a map with houses and trees in rows along its streets."""
