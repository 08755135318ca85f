"""Appearance of surfaces: colours, textures, shaders."""
