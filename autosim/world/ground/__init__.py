"""Makes the ground: its surfaces block by block, its room for bridges and tunnels, its friction."""
