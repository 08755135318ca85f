"""Manoeuvres that show how vehicles move, held against published models and closed forms."""
