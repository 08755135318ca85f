"""User programs that run at a client, and the pictures they get."""
