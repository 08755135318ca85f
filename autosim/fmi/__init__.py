"""Functional Mock-up Units (FMI 2.0 and 3.0) for co-simulation, through FMPy.

`fmu.py` steps an FMU in this process, `fmu_process.py` in its own, whose life is `fmu_host.py`.
"""

from autosim.fmi.fmu import Fmu, FmuError

__all__ = ["Fmu", "FmuError"]
