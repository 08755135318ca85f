"""Panda3D: the one package that starts the renderer and speaks its types.

Surfaces are drawn in bins (`render_bins.py`); after the first two, a software driver fills pixels
in threads of its own (`driver_threads.py`). A process of its own tries which display module draws
(`display_modules.py`), for a client while it reads the world.
"""
