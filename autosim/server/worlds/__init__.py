"""The worlds that a server has: loading, changing, offering them."""
