"""Values that follow from the description of a vehicle alone: standing height and dimensions."""
