"""Folders of sweeps whose runs simulate nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autosim.applications.sweeps import supervision
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.order import RunOrder

MakeSweep = Callable[..., SweepFolder]


def order_of(number: int, limit: float = 60.0, **parameters: str) -> RunOrder:
    return RunOrder(
        id=f"run{number}",
        study="quick",
        parameters={"x": str(number), **parameters},
        seed=0,
        world="worlds/w.xml",
        own={},
        others={},
        programs={},
        roots=(),
        seconds=1.0,
        measures=(),
        measured_by="",
        limit=limit,
        record="none",
    )


@pytest.fixture
def make_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeSweep:
    """Makes a sweep with a run for each text, which says what its process does."""
    monkeypatch.setattr(supervision, "RUN_PROCESS", "tests.applications.sweeps.quick_run")

    def make(*does: str, limit: float = 60.0) -> SweepFolder:
        folder = SweepFolder(tmp_path / "sweep")
        folder.keep_plan(
            (order_of(number, limit, does=each), {}) for number, each in enumerate(does)
        )
        return folder

    return make
