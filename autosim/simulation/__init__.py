"""The simulation tree, its state and its devices. Knows no physics engine, renderer or network."""
