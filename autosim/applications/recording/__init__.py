"""Pictures as they are drawn become films and files."""
