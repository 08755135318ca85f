"""The ground: its partition into land uses, its heights below bridges, its friction."""
