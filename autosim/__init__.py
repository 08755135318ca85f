"""AutoSim: a networked, deterministic driving simulator."""

__version__ = "0.1.0"
