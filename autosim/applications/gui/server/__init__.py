"""The server's window: it starts a server and is one of its clients (needs PyQt6)."""
