"""Road markings: lines, stop lines, crossings and arrows, for the eye only."""
