"""`autosim plot`: errors of a belief over time, and their bands, from what `ctl watch` prints."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from autosim.applications.common.tree_values import select
from autosim.applications.recording.belief_record import read_record
from autosim.cli import main
from autosim.errors import UserError
from autosim.kinds.owners.noisy_state import NoisyState
from tests.kinds.owners.rig import Fleet, moving

NOISY = NoisyState("noise", "body", (), (1.0, 1.0, 0.5), velocity_deviation=(0.2, 0.2, 0.1))


@pytest.fixture
def run(tmp_path):
    """A record as `autosim ctl watch r0.state r0.state_truth --json` prints it."""
    fleet, file = Fleet.of(NOISY, robots=1), tmp_path / "run.jsonl"
    chosen = [select(fleet.state.tree, name) for name in ("r0.state", "r0.state_truth")]
    with file.open("w") as out:
        for step in range(400):
            fleet.step_to(step, moving(step))
            values = {each.name: each.read(fleet.state) for each in chosen}
            out.write(json.dumps({"step": step, "time": step / 100, "values": values}) + "\n")
    return file


def test_the_record_has_the_errors_and_how_large_the_robot_believes_them(run):
    record = read_record(run)
    assert record.robot == "r0"
    assert record.errors.shape == (400, 9)
    np.testing.assert_allclose(np.std(record.errors[:, :2]), 1.0, rtol=0.1)
    np.testing.assert_allclose(record.deviations[0, 6:], (0.2, 0.2, 0.1), rtol=0.1)
    np.testing.assert_allclose(record.within[[0, 1, 2, 6, 7]], 0.95, atol=0.04)


def test_the_plot_shows_errors_and_bands(run):
    done = CliRunner().invoke(main, ["plot", str(run)])
    assert done.exit_code == 0, done.output
    assert "run.svg: r0, 400 samples" in done.output
    shapes = list(ElementTree.parse(run.with_suffix(".svg")).iter())
    for shape in ("polygon", "polyline"):  # a band and a line for each of six errors
        assert sum(each.tag.endswith(shape) for each in shapes) == 6


def test_a_plot_is_an_svg_file(run, tmp_path):
    done = CliRunner().invoke(main, ["plot", str(run), "--out", str(tmp_path / "run.png")])
    assert done.exit_code != 0
    assert "expected a name that ends in .svg" in done.output + done.stderr


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "expected two samples or more"),
        ("no JSON\n", ":1: expected a state with what a robot believes and what is true, as one"),
        ('{\n  "steps": 3\n}\n', ":1: expected a state"),
        ('{"steps": 3, "time": 0}\n', "there is no 'values'"),
        ('{"time": 0, "values": {}}\n', ":1: expected a state"),
        ('{"time": 0, "values": {"r0.state": {}}}\n', "r0.state_truth"),
    ],
)
def test_a_file_that_is_no_record_says_how_to_make_one(tmp_path, text, fault):
    file = tmp_path / "run.jsonl"
    file.write_text(text)
    with pytest.raises(
        UserError, match=r"autosim ctl watch ROBOT\.state ROBOT\.state_truth"
    ) as caught:
        read_record(file)
    assert fault in str(caught.value)


def test_a_robot_that_the_record_does_not_tell_of_is_an_error(run):
    with pytest.raises(UserError, match=r"r9\.state"):
        read_record(run, "r9")
