"""Results of a benchmark: per episode, per split, and over all, with the versions of everything."""

import importlib.util
import json
import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypedDict, cast

from autosim.applications.common.files import write_whole
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.table import Row, export_rows, write_parquet
from autosim.config.files.digests import code_digest
from autosim.errors import UserError
from autosim.version import __version__

RESULTS, TABLE, PARQUET = "results.json", "results.csv", "results.parquet"
"""Names of the files of results in the folder of a benchmark."""

FORMAT = 1
"""Version of the layout of `results.json`."""

_PACKAGES = ("numpy", "numba", "scipy", "pybullet", "shapely", "osmium")
"""Packages that take part in what an episode computes."""


class InfractionResult(TypedDict):
    """An infraction, as `autosim.benchmark.infractions.Infraction`."""

    kind: str
    time: float
    x: float
    y: float
    text: str
    value: float


class EpisodeScores(TypedDict):
    """Results of an episode, as in `results.json`."""

    id: str
    seed: int
    status: str
    suite: str
    group: str
    split: str
    route: int
    agent: str
    length_m: float
    ended_by: str
    driving_score: dict[str, float]
    closed_loop_score: dict[str, float]
    infractions: list[InfractionResult]
    digest: str
    seconds: float
    wall_seconds: float
    failure: str


class MeanScores(TypedDict):
    """Mean scores of several episodes, and infractions by kind per kilometre."""

    episodes: int
    driving_score: float
    route_completion: float
    penalty: float
    closed_loop_score: float
    arrived: float
    kilometres: float
    infractions_per_km: dict[str, float | None]


class BenchmarkResults(TypedDict):
    """The content of `results.json`."""

    format: int
    suite: str
    agent: str
    versions: dict[str, str]
    planned: int
    done: int
    scores: MeanScores
    splits: dict[str, MeanScores]
    episodes: list[EpisodeScores]


def versions() -> dict[str, str]:
    """Versions of AutoSim, Python and of the packages that take part, and the platform."""
    found = {"autosim": __version__, "code": code_digest(), "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found | {"platform": f"{platform.system()} {platform.machine()}"}


def results_of(folder: SweepFolder) -> BenchmarkResults:
    """All results of a benchmark's folder.

    Raises:
        UserError: it is not the folder of a benchmark.
    """
    outcomes = list(folder.outcomes())
    done = [each for _, each in outcomes if each is not None]
    if outcomes and not outcomes[0][0].order().episode:
        raise UserError(
            f"{folder.path} is the folder of a sweep, not of a benchmark: autosim sweep show"
        )
    episodes = [episode_of(each) for each in done]
    groups = sorted({str(each["split"]) for each in episodes})
    return {
        "format": FORMAT,
        "suite": episodes[0]["suite"] if episodes else "",
        "agent": episodes[0]["agent"] if episodes else "",
        "versions": versions(),
        "planned": len(outcomes),
        "done": len(done),
        "scores": mean_scores(episodes),
        "splits": {
            split: mean_scores([each for each in episodes if each["split"] == split])
            for split in groups
        },
        "episodes": episodes,
    }


def episode_of(outcome: Outcome) -> EpisodeScores:
    """The results of one episode; one that has no result scores 0."""
    failed: EpisodeScores = {
        "id": outcome.id,
        "seed": outcome.seed,
        "status": outcome.status,
        "suite": "",
        "split": "",
        "group": outcome.parameters["group"],
        "route": int(outcome.parameters["route"]),
        "agent": outcome.parameters["agent"],
        "ended_by": outcome.status,
        "driving_score": {"score": 0.0, "route_completion": 0.0, "penalty": 1.0},
        "closed_loop_score": {"score": 0.0},
        "infractions": [],
        "digest": "",
        "length_m": 0.0,
        "seconds": outcome.seconds,
        "wall_seconds": round(outcome.wall_seconds, 3),
        "failure": outcome.failure,
    }
    return failed if outcome.episode is None else cast(EpisodeScores, {**failed, **outcome.episode})


def mean_scores(episodes: Sequence[EpisodeScores]) -> MeanScores:
    """Mean scores of episodes, and the number of infractions of each kind per kilometre."""
    count = max(len(episodes), 1)
    driving = [each["driving_score"] for each in episodes]
    closed = [each["closed_loop_score"] for each in episodes]
    kinds = Counter(str(i["kind"]) for each in episodes for i in each["infractions"])
    kilometres = sum(
        each["length_m"] * each["driving_score"]["route_completion"] / 1e5 for each in episodes
    )
    return {
        "episodes": len(episodes),
        "driving_score": sum(each["score"] for each in driving) / count,
        "route_completion": sum(each["route_completion"] for each in driving) / count,
        "penalty": sum(each["penalty"] for each in driving) / count,
        "closed_loop_score": sum(each["score"] for each in closed) / count,
        "arrived": sum(each["ended_by"] == "arrived" for each in episodes) / count,
        "kilometres": kilometres,
        "infractions_per_km": {
            kind: number / kilometres if kilometres > 0.0 else None
            for kind, number in sorted(kinds.items())
        },
    }


def rows_of_results(results: BenchmarkResults) -> list[Row]:
    """One row of numbers and texts for each episode."""
    return [
        {
            "group": each["group"],
            "split": each["split"],
            "route": each["route"],
            "seed": each["seed"],
            "ended_by": each["ended_by"],
            "driving_score": each["driving_score"]["score"],
            "route_completion": each["driving_score"]["route_completion"],
            "penalty": each["driving_score"]["penalty"],
            **{f"closed_loop_{name}": value for name, value in each["closed_loop_score"].items()},
            "infractions": len(each["infractions"]),
            "seconds": each["seconds"],
            "wall_seconds": each["wall_seconds"],
            "digest": each["digest"],
            "failure": each["failure"],
        }
        for each in results["episodes"]
    ]


def write_results(folder: SweepFolder) -> BenchmarkResults:
    """Writes the results as JSON and as a table; returns them.

    Raises:
        UserError: a file cannot be written.
    """
    results = results_of(folder)
    text = json.dumps(results, indent=1)
    write_whole(folder.path / RESULTS, f"{text}\n".encode())
    rows = rows_of_results(results)
    if rows:
        export_rows(rows, folder.path / TABLE)
        if importlib.util.find_spec("pyarrow") is not None:
            write_parquet(rows, folder.path / PARQUET)
    return results


def read_results(path: Path) -> BenchmarkResults:
    """The results of a folder of a benchmark, or of a file `results.json`.

    Raises:
        UserError: it has none.
    """
    if path.is_dir():
        return results_of(SweepFolder(path))
    try:
        found: BenchmarkResults = json.loads(path.read_text())
        if found.get("format") != FORMAT:
            raise ValueError(f"format {found.get('format')!r}, expected {FORMAT}")
    except (OSError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: no results of a benchmark ({error})") from error
    return found
