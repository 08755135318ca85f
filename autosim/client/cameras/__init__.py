"""Poses and views of cameras."""
