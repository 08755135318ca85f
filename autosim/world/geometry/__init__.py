"""Plane geometry that knows no streets: curves, polylines, projection, meshes, blocks."""
