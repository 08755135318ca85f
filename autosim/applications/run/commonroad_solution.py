"""Writes how the robot drove a CommonRoad scenario as a solution file of CommonRoad.

The trajectory is that of a point mass (model PM): position and velocity of the robot's middle, at
each time step of the scenario, in the coordinates of its file.
"""

from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from autosim.applications.common.files import write_whole
from autosim.arrays import Floats
from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.map_kinds import is_commonroad
from autosim.config.scenarios import Scenario
from autosim.model.belief import StateEstimate, state_words, truth_of
from autosim.model.state import State
from autosim.world.lanelets.commonroad_file import open_commonroad, shift_of

_VEHICLE, _COST = 2, "WX1"
"""CommonRoad's number of the vehicle (BMW 320i) and name of the cost function, as ids name them."""

NAME = "solution.xml"
"""Name of the file."""


class SolutionWriter:
    """The states of a robot that make up a solution.

    Args:
        path: the CommonRoad file.
        robot: name of the robot under test.
    """

    def __init__(self, path: Path, robot: str) -> None:
        root = open_commonroad(path, Diagnostics())
        problem = root.child("planningProblem")
        self.step_seconds = root.number("timeStepSize")
        self._robot = robot
        self._version = root.text("commonRoadVersion")
        self._benchmark = root.text("benchmarkID") or path.stem
        self._problem = 0 if problem is None else problem.whole("id")
        self._shift = shift_of(root)
        self._rows: list[Floats] = []

    @classmethod
    def for_scenario(cls, scenario: Scenario, robot: str) -> "SolutionWriter | None":
        """A writer; None where the scenario is not one of CommonRoad."""
        source = scenario.source
        return cls(source, robot) if source is not None and is_commonroad(source) else None

    def add(self, state: State) -> None:
        """Adds the state of the next time step."""
        words = state_words(state.floats, truth_of(state.tree, self._robot))
        found = StateEstimate.of(words, state.time)
        place = np.asarray(found.position)[:2] - self._shift
        self._rows.append(np.concatenate([place, np.asarray(found.velocity)[:2]]))

    def write(self, folder: Path) -> Path:
        """Writes the file into a folder."""
        names = ("x", "y", "xVelocity", "yVelocity")
        states = "".join(
            "    <pmState>"
            + "".join(
                f"<{name}>{value:.9g}</{name}>"
                for name, value in zip(names, row.tolist(), strict=True)
            )
            + f"<time>{step}</time></pmState>\n"
            for step, row in enumerate(self._rows)
        )
        benchmark = f"PM{_VEHICLE}:{_COST}:{self._benchmark}:{self._version}"
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f"<CommonRoadSolution benchmark_id={quoteattr(benchmark)}>\n"
            f'  <pmTrajectory planningProblem="{self._problem}">\n{states}  </pmTrajectory>\n'
            "</CommonRoadSolution>\n"
        )
        file = folder / NAME
        write_whole(file, text.encode())
        return file
