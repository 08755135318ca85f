"""Configuration files: their schemas, their readers and writers, and the faults of users' files."""
