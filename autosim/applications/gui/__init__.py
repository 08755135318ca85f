"""The server's window: it starts a server and is one of its clients (needs PyQt6).

The server runs in processes of its own, so a window that hangs or ends never delays a step, and
everything that the window does is on the wire for others too.
"""
