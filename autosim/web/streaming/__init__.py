"""Streams to browsers: the followed server's states, encoded once and sent to all viewers."""
