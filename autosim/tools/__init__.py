"""Programs around worlds: what makes, edits and checks the files that simulations read."""
