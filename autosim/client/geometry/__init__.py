"""Meshes to be drawn, as arrays; knows no engine."""
