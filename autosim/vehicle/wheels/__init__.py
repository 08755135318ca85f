"""Wheels with their suspension and steering, and what a flat tyre changes of them."""
