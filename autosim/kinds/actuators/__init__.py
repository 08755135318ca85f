"""Kinds of devices that programs set: drives with their wheels, lights, beliefs."""
