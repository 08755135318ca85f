"""Commands on runs and their records."""
