"""The gate that every command passes, and the drivers of robots."""
