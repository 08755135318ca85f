"""Moving things as messages of OSI: robots, objects, and the vehicles and people of traffic."""
