"""Functional Mock-up Units (FMI 2.0 and 3.0) for co-simulation, through FMPy."""

from autosim.fmi.fmu import Fmu, FmuError

__all__ = ["Fmu", "FmuError"]
