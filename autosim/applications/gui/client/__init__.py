"""The client's window: pictures of a server's simulation, and user programs beside it.

Pictures are drawn offscreen and shown as any other picture, so that every renderer serves, on every
screen and on none (needs PyQt6 and Panda3D).
"""
