"""Kinds of parts and links."""
