"""Nodes: topics, loop, clock; nodes that mix realities."""
