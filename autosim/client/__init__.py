"""Views on a running simulation: the mirror of its tree, the drawn scene, cameras, programs.

A client drains its stream of states into its own latest slot all the time (`link/`). Its scene
(`scene/`) draws the newest one; a state is never drawn twice by the same camera. Clients without a
window sleep until there is a state or a program wants a picture.
"""
