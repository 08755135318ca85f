"""`autosim determinism`: one world, many ways to run it, one digest."""
