"""The tutorials of the test bench, done from an empty folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from autosim_testbench.applications.topology import topology_of
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.messages.declaration import python_declarations
from tests.docs.reader import Reader


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text())


@pytest.mark.slow
def test_ranges_are_plotted_in_three_realities(tmp_path: Path) -> None:
    Reader(tmp_path).read("tutorials/ranges_in_three_realities")
    out = tmp_path / "out"
    counts = [
        summary(out / mode)["nodes"]["sense"]["points_plotted"]
        for mode in ("physical", "virtual", "augmented")
    ]
    assert min(counts[:2]) > 15
    assert counts[2] > max(counts[:2])
    assert summary(out / "mine")["nodes"]["nearest"]["nearest"] == pytest.approx(0.39, abs=0.02)
    assert summary(out / "processes")["failed"] == {}
    assert (tmp_path / "my_bench.svg").exists()


@pytest.mark.slow
def test_one_planner_drives_three_rovers(tmp_path: Path) -> None:
    Reader(tmp_path).read("tutorials/one_planner_three_rovers")
    out = tmp_path / "out"
    for name in ("virtual", "augmented"):
        nodes = summary(out / name)["nodes"]
        assert nodes["planner"]["obstacles_avoided"] >= 5
        assert nodes["visualisation"]["boundary_crossed"] == 0
    assert summary(out / "town")["nodes"]["planner"]["obstacles_avoided"] >= 2
    mine = [summary(out / each)["nodes"] for each in ("mine", "other_obstacles")]
    assert all(each["planner"]["turns"] >= 3 for each in mine)
    assert mine[0]["visualisation"] != mine[1]["visualisation"]


@pytest.mark.slow
def test_nodes_are_written_for_three_realities_and_for_a_car(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    reader.read("tutorials/write_a_node")
    out = tmp_path / "out"
    shown = {
        mode: [summary(out / mode)["nodes"][f"{side}_display"] for side in ("real", "virtual")]
        for mode in ("physical", "virtual", "augmented")
    }
    strongest = {mode: [each["strongest"] for each in both] for mode, both in shown.items()}
    assert strongest == {"physical": [5.14, 0.0], "virtual": [0.0, 4.0], "augmented": [9.14, 9.14]}
    assert all(each["messages"] >= 39 for each in shown["augmented"])
    assert summary(out / "car")["nodes"]["cruise"]["speed"] == pytest.approx(3.0, abs=1.0)
    topics = load_launch(tmp_path / "car.xml")
    kinds = [each.kind for each in topology_of(topics, is_trusted=True).topics.values()]
    printed: dict[str, Any] = {}
    shown_on_page: dict[str, Any] = {}
    exec(python_declarations(kinds), printed)
    exec((tmp_path / "car_kinds.py").read_text(), shown_on_page)
    for kind in kinds:
        fields = [vars(each) for each in printed[kind.__name__].FIELDS]
        assert fields == [vars(each) for each in shown_on_page[kind.__name__].FIELDS]
