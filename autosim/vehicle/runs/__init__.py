"""Drives of one vehicle as files: what it is commanded, and how it moves."""
