"""What follows from the description of a vehicle alone: how it stands, and how large it is."""
