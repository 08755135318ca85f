"""Generated from `proto/autosim/v1`: `make proto`."""
