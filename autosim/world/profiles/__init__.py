"""Vertical alignment: the height of each street along its axis."""
