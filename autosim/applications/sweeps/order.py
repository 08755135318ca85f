"""Order of one run of a sweep, as stored in its folder."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autosim.config.studies import KeepRecord, Measure


@dataclass(frozen=True, slots=True)
class RunOrder:
    """One run.

    `id`: the digest of all that decides its result. `world`: its world file. `own`: the files of
    the run's own, in its folder `files`, `others` those that it shares with other runs, by the
    names that worlds use, and `programs` by their paths; each with its SHA-256. `roots`: the
    folders in which files are looked up that are not its own. `measured_by`: the program of the
    study, whose function `measures` is called, "" without one.
    """

    id: str
    study: str
    parameters: Mapping[str, str]
    """Values of the parameters, by name."""
    seed: int
    """Seed of all noise."""
    world: str
    own: Mapping[str, str]
    others: Mapping[str, str]
    programs: Mapping[str, str]
    roots: tuple[str, ...]
    seconds: float
    """Duration [s of simulated time]."""
    measures: tuple[Measure, ...]
    measured_by: str
    limit: float
    """Time limit [s of real time]."""
    record: KeepRecord
    """When its record is kept."""
    episode: str = ""
    """The episode of a benchmark as JSON, "" for a run of a study."""
    variant: str = ""
    """The OpenSCENARIO file of a variant as JSON, "" for a run of a study."""

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> "RunOrder":
        """Out of text.

        Raises:
            ValueError: it is none.
        """
        values: dict[str, Any] = json.loads(text)
        try:
            values["measures"] = tuple(Measure(**each) for each in values["measures"])
            values["roots"] = tuple(values["roots"])
            order = cls(**values)
            texts = (order.id, order.world, order.measured_by, order.episode, order.variant)
            if not all(isinstance(each, str) for each in (*texts, *order.roots)):
                raise TypeError("a name is not a text")
            return order
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no order of this version: {error}") from error


def search_path(order: RunOrder, files: Path) -> tuple[str, ...]:
    """The folders in which a run looks its files up, in their order."""
    return (str(files), *order.roots)
