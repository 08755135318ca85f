"""Combiners for what robots sense: numbers, distances, poses, lidars, pictures.

In the modes physical and virtual they pass one side on. What augmented means is each one's own.
"""
