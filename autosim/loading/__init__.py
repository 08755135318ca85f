"""Reads, checks and writes robot and world files: from their text to descriptions.

What an element may be is described in `autosim.config.schemas` and, for each kind of part, link and
device, in `autosim.kinds`.
"""
