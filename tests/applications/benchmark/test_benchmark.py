"""`autosim benchmark` from end to end, with a short route."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from autosim.applications.benchmark.benchmark_commands import (
    compare_benchmarks,
    repeat_benchmark,
    run_benchmark,
    show_benchmark,
)
from autosim.applications.sweeps.executors.local_pool import LocalPool
from autosim.applications.sweeps.folder import SweepFolder
from autosim.benchmark.agents import find_agent
from autosim.errors import UserError

EXAMPLE = Path(__file__).parents[3] / "examples" / "benchmark_agent.py"

SUITE = """\
<Suite name="short" grace="10" blocked="8">
  <Routes name="town" world="worlds/circle_town.xml" routes="1" length="60" seed="1" vehicles="2"/>
</Suite>
"""


@pytest.fixture
def suite(tmp_path: Path) -> str:
    file = tmp_path / "short.xml"
    file.write_text(SUITE)
    return str(file)


def run(suite: str, agent: str, out: Path) -> list[str]:
    lines = run_benchmark(
        suite, agent, LocalPool(1), out=out, limit=None, seeds=None, is_again=False
    )
    return list(lines)


@pytest.mark.slow
def test_an_episode_twice_has_one_digest_and_one_score(suite: str, tmp_path: Path) -> None:
    (said,) = repeat_benchmark(
        suite, "driver", LocalPool(1), out=tmp_path / "r", limit=1, repeats=2
    )
    assert said.startswith("1 episodes × 2 repetitions: spread 0 of all scores (driving score 100")
    folders = [tmp_path / "r" / f"repeat_{number:03d}" for number in range(2)]
    assert any("1 with the same digest" in each for each in compare_benchmarks(folders))


@pytest.mark.slow
def test_results_are_a_file_a_table_and_a_page(suite: str, tmp_path: Path) -> None:
    out = tmp_path / "idm"
    lines = run(suite, "idm", out)
    assert "idm_driver on short" in lines[-2] or "idm on short" in lines[-2]
    results = json.loads((out / "results.json").read_text())
    (episode,) = results["episodes"]
    assert episode["ended_by"] == "arrived"
    assert len(episode["digest"]) == 64
    assert results["versions"]["numpy"]
    assert (out / "results.csv").read_text().startswith("group,split,route,seed,ended_by")
    page = (out / "report.html").read_text()
    assert "<polyline" in page
    assert "src=" not in page  # nothing from elsewhere
    # A second start has nothing to do: the run's files stay as they are.
    (run_id,) = SweepFolder(out).ids()
    before = (out / "runs" / run_id / "summary.json").stat().st_mtime_ns
    run(suite, "idm", out)
    assert (out / "runs" / run_id / "summary.json").stat().st_mtime_ns == before


@pytest.mark.slow
def test_an_agent_that_fails_scores_what_it_has_driven(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "userprograms" / "crash.py"
    program.parent.mkdir()
    program.write_text("def main(argv):\n    raise RuntimeError('no idea')\n")
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    lines = run(suite, "crash.py", tmp_path / "out")
    assert any("failed" in each and "driving   0.00" in each for each in lines)
    assert any("no idea" in each for each in lines)


@pytest.mark.slow
def test_a_process_drives_by_gymnasium(suite: str, tmp_path: Path) -> None:
    lines = run(suite, f"process:{sys.executable} {EXAMPLE}", tmp_path / "gym")
    assert lines[0].startswith("town/0 seed 0")
    assert "arrived" in lines[0]


CAMERA = """\
<Suite name="seen" track="camera" grace="10" blocked="8">
  <Routes name="ring" world="worlds/lane_keeper.xml" start="secondary" length="60" seed="12"/>
</Suite>
"""


@pytest.mark.slow
def test_a_camera_keeps_the_car_in_its_lane_and_plans_keep_another_on_its_route(
    suite: str, tmp_path: Path
) -> None:
    lines = run(suite, "mppi", tmp_path / "mppi")
    assert "driving 100.00" in lines[0]
    file = tmp_path / "seen.xml"
    file.write_text(CAMERA)
    lines = list(
        run_benchmark(
            *(str(file), "lane_keeper", LocalPool(1)),
            out=tmp_path / "camera",
            limit=1,
            seeds=None,
            is_again=False,
        )
    )
    assert "completion 100.00 %" in lines[0]


PARKING = """\
<Suite name="parked" grace="90">
  <Routes name="town" world="worlds/circle_town.xml" parking="parallel" routes="1" length="50"/>
</Suite>
"""


@pytest.mark.slow
def test_a_car_parks_between_two_others_and_one_that_drives_on_has_half_the_route(
    tmp_path: Path,
) -> None:
    file = tmp_path / "parked.xml"
    file.write_text(PARKING)
    parked = run(str(file), "parking", tmp_path / "parking")
    assert "driving 100.00" in parked[0]
    assert "arrived" in parked[0]
    assert "completion  50.00 %" in run(str(file), "idm", tmp_path / "idm")[0]


def test_a_shipped_agent_has_its_own_arguments_unless_others_are_given() -> None:
    assert find_agent("lane_keeper").arguments == ("left", "4.0")
    assert find_agent("lane_keeper right 3.25").arguments == ("right", "3.25")
    assert find_agent("mppi").program == "mppi_driver.py"


def test_a_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(UserError, match="'process:no_such_agent' starts nothing"):
        find_agent("process:no_such_agent")


def test_an_unknown_agent_lists_what_there_is() -> None:
    with pytest.raises(UserError, match="'robot' is not an agent: expected driver, idm"):
        find_agent("robot")
    with pytest.raises(UserError, match=r"there is no user program 'nothing\.py'.*driver\.py"):
        find_agent("nothing.py")
    with pytest.raises(UserError, match=r"there is no policy file gone\.npz"):
        find_agent("gone.npz")


def test_a_checkpoint_is_not_a_policy(tmp_path: Path) -> None:
    checkpoint, damaged, policy = (
        tmp_path / name for name in ("checkpoint.npz", "damaged.npz", "policy.npz")
    )
    np.savez(checkpoint, weights=np.zeros(3))
    damaged.write_bytes(b"PK")
    np.savez(policy, weight_0=np.zeros((2, 16)), bias_0=np.zeros(2))
    with pytest.raises(UserError, match=r"checkpoint\.npz is not a policy file: expected the"):
        find_agent(str(checkpoint))
    with pytest.raises(UserError, match=r"damaged\.npz cannot be read as a policy file"):
        find_agent(str(damaged))
    assert find_agent(str(policy)).name == "policy"


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a folder of runs"):
        list(show_benchmark(tmp_path))
