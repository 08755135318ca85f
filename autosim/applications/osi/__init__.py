"""Live messages of OSI as a program beside a server."""
