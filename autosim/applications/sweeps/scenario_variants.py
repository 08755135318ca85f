"""Runs that are variants of an OpenSCENARIO file: a parameter-value distribution as a sweep."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autosim.applications.openscenario.scenario_trial import (
    STEP,
    ScenarioTrial,
    TrialOptions,
    try_scenario,
)
from autosim.applications.sweeps.folder import DEFAULT_FOLDER, SweepFolder
from autosim.applications.sweeps.order import RunOrder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.run_plan import PlannedRun, with_id
from autosim.config.files.digests import file_digest
from autosim.errors import UserError
from autosim.openscenario.reading.distribution_reader import read_distribution
from autosim.version import __version__

SUFFIX = ".xosc"
"""Suffix of OpenSCENARIO files."""

_SECONDS = 1800.0
"""Time limit of a run in simulated time [s]: longer than any scenario of the public suites."""

_LIMIT = 3600.0
"""Time limit of a run in real time [s]."""


def plan_variants(file: Path, maps: Path | None) -> Iterator[PlannedRun]:
    """The runs of a distribution: each set of values of its parameters.

    Args:
        file: with the <ParameterValueDistribution>.
        maps: folder of maps, or a map file, for a scenario whose map is not there.

    Raises:
        UserError: the file holds no distribution, or a part of it is not executed.
    """
    scenario, variants = read_distribution(file)
    digest = file_digest(scenario)
    variant = {
        "file": str(scenario.resolve()),
        "maps": "" if maps is None else str(maps.resolve()),
    }
    seen = set()
    for values in variants:
        order = RunOrder(
            id="",
            study=file.stem,
            parameters=values,
            seed=0,
            world="",
            own={},
            others={scenario.name: digest},
            programs={},
            roots=(),
            seconds=_SECONDS,
            measures=(),
            measured_by="",
            limit=_LIMIT,
            record="none",
            variant=json.dumps(variant),
        )
        run = with_id(order)
        if run.id not in seen:
            seen.add(run.id)
            yield PlannedRun(run, {})


def open_variants(file: Path, out: Path | None, maps: Path | None) -> tuple[SweepFolder, list[str]]:
    """Plans the runs of a distribution, and keeps the plan in the sweep's folder.

    Raises:
        UserError: as `plan_variants`.
    """
    folder = SweepFolder(out or DEFAULT_FOLDER / file.stem)
    return folder, folder.keep_plan(plan_variants(file, maps))


def perform_variant(order: RunOrder) -> Outcome:
    """Runs a scenario with the values of a variant.

    Raises:
        UserError: the order is of another version, or the scenario cannot be executed.
    """
    try:
        told = json.loads(order.variant)
        path, maps = Path(told["file"]), told["maps"]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"no variant of this version: {error}") from error
    if file_digest(path) != order.others.get(path.name):
        raise UserError(f"'{path}' has changed since the sweep began: start it again")
    options = TrialOptions(
        seconds=order.seconds, values=dict(order.parameters), maps=Path(maps) if maps else None
    )
    begin = time.perf_counter()
    trial = try_scenario(path, options)
    outcome = _outcome_of(order, trial)
    return replace(outcome, wall_seconds=time.perf_counter() - begin)


def _outcome_of(order: RunOrder, trial: ScenarioTrial) -> Outcome:
    passed = trial.has_run and not trial.collisions
    collisions = {f"no collision of {first} and {second}" for _, first, second in trial.collisions}
    criteria = {"ended by itself": "met" if trial.has_run else "broken"}
    criteria |= dict.fromkeys(sorted(collisions), "broken")
    verdict: Mapping[str, object] = {
        "name": trial.path.stem,
        "passed": passed,
        "criteria": criteria,
        "events": _events(trial),
    }
    return Outcome(
        id=order.id,
        status="done" if trial.digest else "invalid",
        parameters=order.parameters,
        seed=order.seed,
        passed=passed,
        failure=trial.reason,
        scenario=verdict,
        steps=round(trial.duration / STEP),
        seconds=trial.duration,
        collisions=len(trial.collisions),
        met=tuple(f"{moment:g} s: {one} and {two}" for moment, one, two in trial.collisions),
        state_digest=trial.digest,
        limit=order.limit,
        version=__version__,
    )


def _events(trial: ScenarioTrial) -> dict[str, float]:
    """The time [s] at which each event began first."""
    found: dict[str, float] = {}
    for moment, text in trial.events:
        if text.startswith("event ") and "startTransition" in text:
            found.setdefault(text[len("event ") : text.rindex(":")], moment)
    return found
