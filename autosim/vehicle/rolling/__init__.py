"""One step of rolling tyres: their forces, and the wheel speeds."""
