"""Overlays on pictures: lidar points, beliefs, annotations."""
