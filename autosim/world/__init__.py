"""From OpenStreetMap and heights to one watertight mesh and a network of lanes."""
