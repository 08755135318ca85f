"""A Functional Mock-up Unit that is stepped: its inputs, outputs, parameters and its state.

An FMU is foreign binary code in the process that loads it. So AutoSim loads FMUs only in processes
of user programs, where a crash ends the program and leaves the simulation.

Source: FMI 2.0.5 and 3.0.2, co-simulation.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import ScratchFolder

_REAL, _INTEGER, _BOOLEAN = "Real", "Integer", "Boolean"

_TYPES = {
    "2": {"Real": _REAL, "Integer": _INTEGER, "Enumeration": _INTEGER, "Boolean": _BOOLEAN},
    "3": {
        **{each: each for each in ("Float64", "Float32", "Int8", "Int16", "Int32", "Int64")},
        **{each: each for each in ("UInt8", "UInt16", "UInt32", "UInt64", "Boolean")},
        "Enumeration": "Int64",
    },
}
"""Types of scalar numbers by the version of FMI, each with the name that its functions have."""


_TERMINATED = 3
"""The status of FMI 2.0 by which an FMU asks for the end of the simulation."""


class FmuError(UserError):
    """An FMU cannot be loaded, has no such variable, or has failed in a step."""


class Fmu:
    """A co-simulation FMU, ready for its first step. Use as a context manager.

    Args:
        path: of the FMU.
        start: values of parameters and inputs at the start.
        time: simulated time [s] of the start.

    Raises:
        FmuError: it is not a co-simulation FMU of FMI 2.0 or 3.0 for this platform, or a variable
            is not there.
    """

    def __init__(
        self, path: Path, start: Mapping[str, float] | None = None, *, time: float = 0.0
    ) -> None:
        if find_spec("fmpy") is None:
            raise FmuError("this needs the optional package fmpy: pip install 'autosim[fmi]'")
        import fmpy

        self.path, self.time = path, time
        self._has_ended = False
        try:
            self._description = fmpy.read_model_description(str(path), validate=False)
        except OSError as error:
            raise FmuError(f"{path}: cannot be read: {error.strerror}") from error
        except Exception as error:
            raise FmuError(f"{path}: is not an FMU: {error}") from error
        self._version = str(self._description.fmiVersion)[:1]
        if self._version not in _TYPES or self._description.coSimulation is None:
            raise FmuError(
                f"{path}: expected a co-simulation FMU of FMI 2.0 or 3.0, got FMI "
                f"{self._description.fmiVersion} for "
                f"{'co-simulation' if self._description.coSimulation else 'model exchange'}"
            )
        self._variables = {
            each.name: each
            for each in self._description.modelVariables
            if each.type in _TYPES[self._version] and not each.dimensions
        }
        self._folder = ScratchFolder("fmu")
        try:
            self._open(start or {})
        except FmuError:
            self._remove_files()
            raise
        except Exception as error:
            self._remove_files()
            raise FmuError(f"{path}: cannot be started: {error}") from error

    @property
    def variables(self) -> dict[str, str]:
        """The causality (input, output, parameter, …) of each scalar number."""
        return {name: str(each.causality) for name, each in self._variables.items()}

    @property
    def can_save(self) -> bool:
        """Whether its state can be saved and restored."""
        simulation = self._description.coSimulation
        return bool(simulation.canGetAndSetFMUstate and simulation.canSerializeFMUstate)

    def set(self, name: str, value: float) -> None:
        """Sets an input or a tunable parameter.

        Raises:
            FmuError: it has no such variable.
        """
        variable = self._find(name)
        kind = _TYPES[self._version][variable.type]
        number = bool(value) if kind == "Boolean" else value
        if kind not in ("Real", "Float64", "Float32", "Boolean"):
            number = round(value)
        getattr(self._unit, f"set{kind}")([variable.valueReference], [number])

    def get(self, name: str) -> float:
        """The value of a variable.

        Raises:
            FmuError: it has no such variable.
        """
        variable = self._find(name)
        kind = _TYPES[self._version][variable.type]
        return float(getattr(self._unit, f"get{kind}")([variable.valueReference])[0])

    def step(self, seconds: float) -> None:
        """Computes the next `seconds`.

        Raises:
            FmuError: it cannot, or has asked for the end of the simulation in the step before.
        """
        if self._has_ended:
            raise FmuError(
                f"{self.path}: has asked for the end of the simulation, {self.time:.6g} s"
            )
        try:
            self._has_ended = self._ends_in_step(seconds)
        except Exception as error:
            raise FmuError(f"{self.path}: failed at {self.time:.6g} s: {error}") from error
        self.time += seconds

    def _ends_in_step(self, seconds: float) -> bool:
        """Does a step; returns whether the FMU asks for the end of the simulation."""
        # A saved state may be restored: then the FMU is set to a time before this step.
        order = {
            "currentCommunicationPoint": self.time,
            "communicationStepSize": seconds,
            "noSetFMUStatePriorToCurrentPoint": not self.can_save,
        }
        if self._version == "3":
            return bool(self._unit.doStep(**order)[1])
        try:
            self._unit.doStep(**order)
        except Exception:
            # Status 2 (discard): the step may have ended early at the end of the simulation.
            if self._unit.getBooleanStatus(_TERMINATED):
                return True
            raise
        return False

    def save(self) -> tuple[float, bytes]:
        """Its time and its state.

        Raises:
            FmuError: it cannot save its state; the message names it.
        """
        if not self.can_save:
            raise FmuError(
                f"{self.path}: this FMU cannot save its state (canSerializeFMUstate), so there are "
                "no snapshots of it"
            )
        unit = self._unit
        if self._version == "2":
            state = unit.getFMUstate()
            data = unit.serializeFMUstate(state)
            unit.freeFMUstate(state)
        else:
            state = unit.getFMUState()
            data = unit.serializeFMUState(state)
            unit.freeFMUState(state)
        return self.time, bytes(data)

    def restore(self, saved: tuple[float, bytes]) -> None:
        """Takes it back to what `save` returned."""
        self._has_ended = False
        unit = self._unit
        self.time, data = saved
        if self._version == "2":
            state = unit.deSerializeFMUstate(data)
            unit.setFMUstate(state)
            unit.freeFMUstate(state)
        else:
            state = unit.deserializeFMUState(data)
            unit.setFMUState(state)
            unit.freeFMUState(state)

    def close(self) -> None:
        """Ends it and removes its files."""
        try:
            self._unit.terminate()
            self._unit.freeInstance()
        finally:
            self._remove_files()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self, start: Mapping[str, float]) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        fmpy.extract(str(self.path), str(self._folder.path))
        unit = FMU2Slave if self._version == "2" else FMU3Slave
        self._unit = unit(
            guid=self._description.guid,
            unzipDirectory=str(self._folder.path),
            modelIdentifier=self._description.coSimulation.modelIdentifier,
            instanceName=self._description.modelName,
        )
        self._unit.instantiate()
        if self._version == "2":
            self._unit.setupExperiment(startTime=self.time)
        for name, value in start.items():
            self.set(name, value)
        if self._version == "2":
            self._unit.enterInitializationMode()
        else:
            self._unit.enterInitializationMode(startTime=self.time)
        self._unit.exitInitializationMode()

    def _find(self, name: str):  # type: ignore[no-untyped-def]
        variable = self._variables.get(name)
        if variable is None:
            known = ", ".join(sorted(self._variables))
            raise FmuError(f"{self.path}: has no variable '{name}' with a number; it has {known}")
        return variable

    def _remove_files(self) -> None:
        self._folder.close()
