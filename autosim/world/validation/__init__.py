"""Measures how sound a compiled world is, and diagnoses each worst place."""
