"""The elements of each kind of configuration file, as data."""
