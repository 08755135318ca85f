"""Kinds of devices that measure, and cameras."""
