"""The version of AutoSim."""

__version__ = "0.1.0"
