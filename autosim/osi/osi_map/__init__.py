"""The parts of a map as messages of OSI: lanes, boundaries, signals, buildings, props."""
