"""`autosim alpasim`."""
