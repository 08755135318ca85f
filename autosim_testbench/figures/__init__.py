"""Pictures of the plane that nodes write at the end of a bench."""
