"""The tree and its robots as messages, for processes and machines without the world's files."""
