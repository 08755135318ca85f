"""The messages of a window: their table, its panel, and the banner above the picture."""
