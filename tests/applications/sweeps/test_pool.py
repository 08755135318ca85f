"""The pool of this machine: nothing lost, nothing twice, whatever happens."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autosim.applications.sweeps.executors import local_pool
from autosim.applications.sweeps.executors.local_pool import LocalPool
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.supervision import StoppedSweepError
from autosim.applications.sweeps.sweep import do_sweep, result_of
from tests.applications.sweeps.conftest import MakeSweep, order_of
from tests.paths import ROOT


def starts(folder: SweepFolder) -> list[int]:
    """How often the process of each run was started."""
    files = [folder.run(each).path / "starts" for each in folder.ids()]
    return [len(file.read_text().splitlines()) if file.exists() else 0 for file in files]


def sweep(folder: SweepFolder, jobs: int = 2, *, is_again: bool = False) -> dict[str, int]:
    do_sweep(folder, folder.ids(), LocalPool(jobs), is_again=is_again)
    return result_of(folder).counts


def test_each_run_is_done_once_also_when_the_sweep_is_started_again(make_sweep: MakeSweep):
    folder = make_sweep(*6 * [""])
    assert sweep(folder) == {"done": 6}
    assert sweep(folder) == {"done": 6}
    assert starts(folder) == 6 * [1]


def test_a_run_that_was_killed_is_done_again_and_no_other(make_sweep: MakeSweep):
    folder = make_sweep("", "die once", "")
    assert sweep(folder) == {"done": 3}
    assert starts(folder) == [1, 2, 1]


def test_a_run_that_fails_twice_is_an_error_with_its_last_words(make_sweep: MakeSweep):
    folder = make_sweep("fail", "die", "")
    assert sweep(folder) == {"error": 2, "done": 1}
    failures = [outcome.failure for _, outcome in folder.outcomes() if outcome]
    assert "no such thing" in failures[0]
    assert starts(folder) == [2, 2, 1]
    assert sweep(folder) == {"error": 2, "done": 1}
    assert starts(folder) == [2, 2, 1]
    sweep(folder, is_again=True)
    assert starts(folder) == [4, 4, 1]


def test_a_run_that_hangs_ends_at_its_limit_and_gets_another_chance_with_a_longer_one(
    make_sweep: MakeSweep,
):
    folder = make_sweep("hang", "", limit=0.3)
    assert sweep(folder) == {"timeout": 1, "done": 1}
    outcome = folder.run("run0").outcome()
    assert outcome is not None
    assert outcome.failure == "it took longer than 0.3 s"
    (pid,) = (folder.run("run0").path / "starts").read_text().split()
    assert not Path(f"/proc/{pid}").exists()
    sweep(folder)
    assert starts(folder)[0] == 1
    folder.run("run0").keep_order(order_of(0, limit=30.0, does=""))
    assert sweep(folder) == {"done": 2}


def test_a_full_disk_stops_the_sweep_and_loses_nothing(make_sweep: MakeSweep):
    folder = make_sweep("", "full", "")
    with pytest.raises(StoppedSweepError, match="the disk is full"):
        sweep(folder, jobs=1)
    assert result_of(folder).counts == {"done": 1}
    folder.run("run1").keep_order(order_of(1))
    assert sweep(folder) == {"done": 3}
    assert starts(folder) == [1, 2, 1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_sweep_ends_its_runs_and_goes_on_later(
    make_sweep: MakeSweep, number: signal.Signals
):
    folder = make_sweep("", "wait")

    def interrupt(outcome: Outcome) -> None:
        while not (folder.run("run1").path / "starts").exists():
            time.sleep(0.005)
        os.kill(os.getpid(), number)

    with pytest.raises(KeyboardInterrupt):
        LocalPool(2).execute(folder, folder.ids(), interrupt)
    (pid,) = (folder.run("run1").path / "starts").read_text().split()
    assert not Path(f"/proc/{pid}").exists()
    assert not folder.run("run1").is_running()
    (folder.path / "go").touch()
    assert sweep(folder) == {"done": 2}
    assert starts(folder) == [1, 2]


def test_two_sweeps_at_once_share_the_runs(make_sweep: MakeSweep, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_pool, "_LOOK_SECONDS", 0.01)
    folder = make_sweep(*6 * [""])

    async def both() -> None:
        pools = (LocalPool(1), LocalPool(2))
        await asyncio.gather(*(each.work_off(folder, folder.ids(), print) for each in pools))

    asyncio.run(both())
    assert starts(folder) == 6 * [1]
    assert result_of(folder).counts == {"done": 6}


SWEEP = """
import sys
import time
from pathlib import Path
from autosim.applications.sweeps import supervision
from autosim.applications.sweeps.executors import local_pool
from autosim.applications.sweeps.executors.local_pool import LocalPool
from autosim.applications.sweeps.folder import SweepFolder
supervision.RUN_PROCESS = "tests.applications.sweeps.quick_run"
folder = SweepFolder(Path(sys.argv[1]))
LocalPool(1).execute(folder, folder.ids(), lambda outcome: print(outcome.id, flush=True))
"""


def test_what_a_killed_sweep_has_left_running_is_not_done_twice(make_sweep: MakeSweep):
    folder = make_sweep("", "wait", "")
    words = [sys.executable, "-c", SWEEP, str(folder.path)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "run0\n"
        while starts(folder) != [1, 1, 0]:
            time.sleep(0.005)
        process.kill()
    assert folder.run("run1").is_running()
    (folder.path / "go").touch()
    assert sweep(folder) == {"done": 3}
    assert starts(folder) == [1, 1, 1]
