"""What bodies are made of: shapes, their mass and inertia, the joints between two of them."""
