"""Trials of all runs in one file, so that an interrupted run resumes and runs add up."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from autosim.world.pipeline.world_inputs import PIPELINE_VERSION
from tests.maps.trial import Finding, Trial
from tests.maps.windows import MapWindow, window_of


def read_trials(path: Path) -> dict[MapWindow, Trial]:
    """The newest trial of each window in a file of `append_trial`; none if there is no such file.

    Trials with findings count only when they were made with the pipeline of today: a newer one may
    have mended them, so that these windows are tried again. A line that is incomplete because the
    run was killed is skipped, as are windows of maps that no longer exist.
    """
    if not path.exists():
        return {}
    found: dict[MapWindow, Trial] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError, KeyError):
            record = json.loads(line)
            place = window_of(record["window"])
            found.pop(place, None)
            if not record["findings"] or record["pipeline"] == PIPELINE_VERSION:
                found[place] = _trial_of(record)
    return found


def append_trial(path: Path, place: MapWindow, trial: Trial) -> None:
    """Adds a trial to a file, as a line of JSON."""
    record = {
        "window": str(place),
        "pipeline": PIPELINE_VERSION,
        "has_streets": trial.has_streets,
        "driven": trial.driven,
        "findings": {each.kind: each.text for each in trial.findings},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _trial_of(record: Mapping[str, object]) -> Trial:
    driven, findings = record["driven"], record["findings"]
    if not isinstance(findings, dict) or not isinstance(driven, float | int | None):
        raise ValueError("expected a trial")
    texts = tuple(Finding(str(kind), str(text)) for kind, text in findings.items())
    return Trial(bool(record["has_streets"]), driven, texts)
