"""The connection to a server: states, orders, files, and how each fails."""
