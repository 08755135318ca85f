"""What a step makes of tyres that roll on the ground: their forces, and how fast wheels turn."""
