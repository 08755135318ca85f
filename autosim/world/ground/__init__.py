"""The ground: its partition into land uses, its relief below bridges, its friction."""
