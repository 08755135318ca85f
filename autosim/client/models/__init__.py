"""Model files become arrays, and arrays become nodes."""
