"""A robot's belief and the truth, as `autosim ctl watch --json` prints them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.estimation.consistency import error_of
from autosim.model.belief import ERRORS, StateEstimate, make_estimate
from autosim.model.commands import DeviceError

HOW = (
    "autosim plot draws records (.mcap), and what autosim ctl watch ROBOT.state ROBOT.state_truth "
    "--json has printed"
)


@dataclass(frozen=True, slots=True)
class BeliefRecord:
    """Errors of a robot's belief, and its own estimate of them.

    `times` (n,) [s]; `errors` (n, 9): truth less belief, of position [m], orientation [rad] and
    velocity [m/s] in W; `deviations` (n, 9), the standard deviations that it believed.
    """

    robot: str
    times: Floats
    errors: Floats
    deviations: Floats

    @property
    def within(self) -> Floats:
        """The share (9,) of samples of each error that lie within two deviations."""
        shares: Floats = (np.abs(self.errors) <= 2.0 * self.deviations + 1e-12).mean(axis=0)
        return shares


def read_record(file: Path, robot: str | None = None) -> BeliefRecord:
    """Reads the record of one robot.

    Args:
        file: of JSON lines.
        robot: its name; None: the first in the file.

    Raises:
        UserError: the file cannot be read, or lacks that robot's belief and truth.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: cannot be read: {error}") from error
    samples: list[tuple[float, Floats, Floats]] = []
    for number, line in enumerate(lines, start=1):
        try:
            sample = json.loads(line)
            values = sample["values"]
            name = robot or _first_robot(values)
            robot = name
            belief, truth = values[f"{name}.state"], values[f"{name}.state_truth"]
            samples.append(_sample(float(sample["time"]), belief, truth))
        except (ValueError, TypeError, KeyError, StopIteration, DeviceError) as error:
            reason = "expected a state with what a robot believes and what is true"
            raise UserError(f"{file}:{number}: {reason}{_detail(error)}; {HOW}") from error
    if robot is None or len(samples) < 2:
        raise UserError(f"{file}: expected two samples or more; {HOW}")
    times, errors, deviations = (np.array(each) for each in zip(*samples, strict=True))
    return BeliefRecord(robot, times, errors, deviations)


def _detail(error: Exception) -> str:
    """The part of an error that helps a user beyond "this line is not such a state"."""
    match error:
        case json.JSONDecodeError():
            return ", as one line of JSON"
        case KeyError():
            return f"; there is no '{error.args[0]}'"
        case DeviceError():
            return f": {error}"
    return ""


def _first_robot(values: dict[str, object]) -> str:
    return next(name for name in values if name.endswith(".state")).removesuffix(".state")


def _sample(
    time: float, belief: dict[str, object], truth: dict[str, object]
) -> tuple[float, Floats, Floats]:
    covariance = np.array(belief.get("covariance", np.zeros((ERRORS, ERRORS))))
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return time, error_of(_estimate(belief), _estimate(truth)), deviations


def _estimate(values: dict[str, Any]) -> StateEstimate:
    return make_estimate(
        float(values["time"]),
        position=values["position"],
        orientation=values["orientation"],
        velocity=values["velocity"],
    )
