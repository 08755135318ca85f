"""How surfaces look: colours, textures, shaders."""
