"""Driving by hand in the client's window."""
