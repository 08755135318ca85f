"""Commands to servers: client, driving, and management."""
