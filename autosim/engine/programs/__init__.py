"""User programs on the server: their processes, their turns, what each may drive."""
