"""Views on a running simulation: the mirror of its tree, the drawn scene, cameras, programs."""
