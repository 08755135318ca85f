"""Results of runs."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["done", "invalid", "timeout", "error"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run, as in `summary.json`.

    `status`: `done`, `invalid` if its files cannot make a world, `timeout` if it took longer
    than `limit` [s], `error` if its process failed. `passed`: whether the scenario has passed and
    no program has failed; None without criteria. `failure`: the error message. `measures` as
    defined by the study; `scenario` its verdict; the others as in `autosim demo`.
    """

    id: str
    """Id of the run."""
    status: Status
    parameters: Mapping[str, str]
    """Values of the parameters, by name."""
    seed: int
    """Seed of all noise."""
    passed: bool | None = None
    failure: str = ""
    measures: Mapping[str, float | None] = field(default_factory=dict)
    scenario: Mapping[str, Any] | None = None
    traffic: Mapping[str, int] | None = None
    """Counters of traffic by name; None without traffic."""
    steps: int = 0
    """Number of steps."""
    seconds: float = 0.0
    """Simulated time [s]."""
    wall_seconds: float = 0.0
    """Real time [s]."""
    distance_m: float = 0.0
    """Distance driven by the first robot [m]."""
    collisions: int = 0
    """Number of collisions."""
    met: tuple[str, ...] = ()
    """Messages about collisions of the first robot, each with its step."""
    state_digest: str = ""
    """SHA-256 (hex) over the states of all steps."""
    record: str = ""
    """File name of the record, "" if none was kept."""
    limit: float = 0.0
    version: str = ""
    """Version of AutoSim."""
    episode: Mapping[str, object] | None = None
    """Scores and infractions of an episode of a benchmark; None for a run of a study."""

    @property
    def is_good(self) -> bool:
        """Whether it went as it should."""
        return self.status == "done" and self.passed is not False

    @property
    def standing(self) -> str:
        """A word for how it ended: `passed`, `failed`, or its status."""
        if self.status != "done" or self.passed is None:
            return self.status
        return "passed" if self.passed else "failed"

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        """Out of text.

        Raises:
            ValueError: it is none.
        """
        try:
            return cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(f"no summary of this version: {error}") from error
