"""Panda3D: the one package that starts the renderer and speaks its types."""
