"""Gateways for browsers as programs: beside a server, or beside a server elsewhere."""
