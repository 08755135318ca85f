"""Signs, signals and right of way, and the heights of finished lanes."""
