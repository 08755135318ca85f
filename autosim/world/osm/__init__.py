"""Reads OpenStreetMap files, and says what their tags mean."""
