"""The script of an FMU made of a robot: the variables of `robot_fmu.json`, and their simulation.

PythonFMU3 copies this file into the FMU and runs it there; AutoSim has to be installed.
"""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pythonfmu3 import (
    DefaultExperiment,
    Float64,
    Fmi3Causality,
    Fmi3Initial,
    Fmi3Slave,
    Fmi3StepResult,
    Fmi3Variability,
)

if TYPE_CHECKING:
    from autosim.applications.fmu.robot_run import RobotRun

CONTENT = "robot_fmu.json"
"""The file that describes the FMU, next to this one."""


class RobotSlave(Fmi3Slave):  # type: ignore[misc]
    """A robot with its world and its program, one simulation per instance."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.folder = Path(__file__).parent
        content = json.loads((self.folder / CONTENT).read_text("utf-8"))
        self.modelName, self.guid = content["name"], content["guid"]
        self.description = content["description"]
        self.content = content
        self.default_experiment = DefaultExperiment(0.0, None, content["step"], None)
        self.values = {each["name"]: each["start"] for each in content["variables"]}
        self.run: RobotRun | None = None
        self.time = 0.0
        time = Float64("time", causality=Fmi3Causality.independent, getter=lambda: self.time)
        self.register_variable(time)
        for each in content["variables"]:
            self.register_variable(self.variable(each["name"], each["is_input"], each["meaning"]))

    def variable(self, name: str, is_input: bool, meaning: str) -> Float64:
        """The variable of a value of the robot."""
        return Float64(
            name,
            causality=Fmi3Causality.input if is_input else Fmi3Causality.output,
            variability=Fmi3Variability.continuous,
            initial=None if is_input else Fmi3Initial.calculated,
            description=meaning,
            getter=partial(self.values.__getitem__, name),
            setter=partial(self.values.__setitem__, name) if is_input else None,
        )

    def enter_initialization_mode(self) -> None:
        """Builds the simulation; its values are those at step 0."""
        from autosim.applications.fmu.robot_run import RobotRun

        self.run = RobotRun(self.folder, self.content)
        self.run.read(self.values)

    def do_step(self, current_time: float, step_size: float) -> Fmi3StepResult:
        """Simulates whole steps with the inputs."""
        assert self.run is not None
        self.run.step(step_size, self.values)
        self.run.read(self.values)
        self.time = current_time + step_size
        return Fmi3StepResult()

    def terminate(self) -> None:
        """Ends the simulation."""
        if self.run is not None:
            self.run.close()
            self.run = None
