"""The forces of a tyre by its slips, without any state."""
