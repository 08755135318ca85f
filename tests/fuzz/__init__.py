"""Fuzzing of everything that AutoSim reads: `make fuzz`."""
