"""Values over time."""
