"""PyBullet: bodies, collisions, vehicles, and the world's pieces around them."""
