"""The range finder in its three realities, as a whole bench."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosim_testbench.launch.bench import BenchOptions, LockstepBench, run_launch
from autosim_testbench.launch.launch_file import Launch, load_launch
from autosim_testbench.nodes.reality import RealityMode
from autosim_testbench.range_finding.plane_shapes import Shape, distance
from autosim_testbench.range_finding.scene_file import load_scene
from autosim_testbench.range_finding.virtual_side import angle_of_compass

BENCHES = Path(__file__).parents[3] / "testbenches"
TURN = 18.0
"""Time [s] of one turn of the table, nearly: 2π / 0.35."""

POINT, LATE_POINT = '<circle fill="#b02a30"', '<circle fill="#6d9bd1"'


def with_parameters(node: str, **parameters: str) -> Launch:
    launch = load_launch(BENCHES / "range_finding.xml")
    for each in launch.nodes:
        if each.name == node:
            each.parameters.update(parameters)  # type: ignore[attr-defined]
    return launch


def points(mode: RealityMode, pairing: str = "stamped") -> np.ndarray:
    options = BenchOptions(seconds=TURN, mode=mode)
    with LockstepBench(with_parameters("sense", pairing=pairing), options) as bench:
        bench.run()
        (sense,) = (each for each in bench.nodes if each.name == "sense")
        return np.array(sense.points)[:, :2]


def scene(name: str) -> tuple[Shape, ...]:
    return load_scene(BENCHES / f"range_finding_{name}_scene.xml")


def errors(found: np.ndarray, shapes: tuple[Shape, ...]) -> np.ndarray:
    """How far points lie from the shapes, along their rays."""
    angles = np.arctan2(found[:, 1], found[:, 0])
    true = np.array([distance(shapes, angle) for angle in angles])
    return np.abs(np.hypot(*found.T) - true)


@pytest.mark.parametrize(
    ("mode", "names", "fewest"),
    [
        (RealityMode.PHYSICAL, ["physical"], 25),
        (RealityMode.VIRTUAL, ["virtual"], 15),
        (RealityMode.AUGMENTED, ["physical", "virtual"], 25),
    ],
)
def test_sense_sees_what_is_there_in_each_reality(
    mode: RealityMode, names: list[str], fewest: int
) -> None:
    found = points(mode)
    shapes = tuple(each for name in names for each in scene(name))
    assert len(found) >= fewest
    error = errors(found, shapes)
    assert np.mean(error < 0.03) > 0.8, "all but those at the edges of the boxes"


def test_an_augmented_scene_has_points_of_both_boxes() -> None:
    found = points(RealityMode.AUGMENTED)
    assert np.sum(errors(found, scene("physical")) < 0.03) > 10
    assert np.sum(errors(found, scene("virtual")) < 0.03) > 10


def test_pairing_what_came_last_turns_virtual_points_and_stamps_remove_that() -> None:
    def middle(pairing: str) -> float:
        """The middle direction [rad] of the box's points, which lies north."""
        found = points(RealityMode.VIRTUAL, pairing)
        return float(np.mean(np.arctan2(found[:, 1], found[:, 0]))) - math.pi / 2

    sensor_delay, turn_rate = 0.1, 0.35
    assert middle("newest") == pytest.approx(-sensor_delay * turn_rate, abs=0.02)
    assert middle("stamped") == pytest.approx(0.0, abs=0.01)


def test_a_figure_shows_points_as_they_came_and_as_they_are_paired_by_time() -> None:
    with LockstepBench(
        load_launch(BENCHES / "range_finding.xml"), BenchOptions(seconds=2.0)
    ) as bench:
        bench.run()
        figures = bench.nodes[-1].figures()
    count = figures["points"].count(POINT)
    assert figures["lag"].count(POINT) == count > 3
    assert figures["lag"].count(LATE_POINT) == pytest.approx(count, abs=4)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    def run(seed: int) -> tuple[str, list[Any]]:
        launch = load_launch(BENCHES / "range_finding.xml")
        with LockstepBench(launch, BenchOptions(seconds=4.0, seed=seed)) as bench:
            summary = bench.run()
            return json.dumps(summary), bench.nodes[-1].points

    assert run(1) == run(1)
    assert run(1)[1] != run(2)[1]


def test_the_summary_counts_messages_and_lags(tmp_path: Path) -> None:
    launch = load_launch(BENCHES / "range_finding.xml")
    summary = run_launch(launch, BenchOptions(seconds=6.0, folder=tmp_path))
    ranges = summary["topics"]["physical/range"]
    assert ranges["sent"] == ranges["received"] == pytest.approx(100, abs=1)
    assert (ranges["lost"], ranges["dropped"], ranges["rejected"]) == (0, 0, {})
    assert ranges["lag_ms"]["p50"] == pytest.approx(10.0, abs=5.0), "the serial link"
    assert summary["nodes"]["sense"]["points_plotted"] > 0
    lines = (tmp_path / "sense_points.csv").read_text().splitlines()
    assert len(lines) == 1 + summary["nodes"]["sense"]["points_plotted"]


@pytest.mark.parametrize(("heading", "angle"), [(0.0, 90.0), (90.0, 0.0), (180.0, -90.0)])
def test_a_compass_counts_clockwise_from_north(heading: float, angle: float) -> None:
    assert math.degrees(angle_of_compass(math.radians(heading))) == pytest.approx(angle)
