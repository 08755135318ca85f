"""`autosim vehicle simulate`: one vehicle by itself, from commands in a file."""

import csv
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from autosim.cli import main
from tests.paths import ROOT

GEARED = "time,steering,acceleration,gear\n0,0.2,1.0,DRIVE\n"


@pytest.fixture
def simulate(tmp_path):
    """Runs the command on inputs; the result, and the rows that it wrote."""

    def run(*words, inputs=GEARED):
        file, out = tmp_path / "in.csv", tmp_path / "out.csv"
        file.write_text(inputs)
        command = ["vehicle", "simulate", *map(str, words), "--inputs", str(file)]
        result = CliRunner().invoke(main, [*command, "--csv", str(out)])
        rows = list(csv.DictReader(out.read_text().splitlines())) if not result.exit_code else []
        names = list(rows[0]) if rows else []
        return result, {name: np.array([float(row[name]) for row in rows]) for name in names}

    return run


def test_a_model_by_its_name_writes_a_row_at_zero_and_after_each_step_with_all_digits(simulate):
    result, columns = simulate("--model", "DELAY_STEER_ACC_GEARED", "--seconds", 2)
    assert result.exit_code == 0, result.output
    assert list(columns) == ["time", "x", "y", "yaw", "velocity", "steering", "acceleration"]
    assert columns["time"] == pytest.approx(0.025 * np.arange(81))
    assert columns["x"][5] == 2.44140625e-05
    assert columns["yaw"][-1] == pytest.approx(0.111333024, abs=1e-9)


def test_parameters_and_step_count(simulate):
    words = "--model", "DELAY_STEER_ACC", "--seconds", 1, "--step", 0.01
    _, long = simulate(*words, "--parameter", "wheelbase=5.58")
    _, short = simulate(*words)
    assert len(short["time"]) == 101
    assert long["yaw"][-1] == pytest.approx(short["yaw"][-1] / 2.0)


def test_inputs_hold_until_the_next_row(simulate):
    inputs = "time,steering,velocity\n0.5,0.1,2\n1.5,0.0,3\n"
    _, columns = simulate("--model", "IDEAL_STEER_VEL", "--step", 0.1, inputs=inputs)
    expected = np.where(np.arange(16) > 5, 2.0, 0.0)
    assert columns["velocity"].tolist() == expected.tolist()


def test_a_robot_with_wheels_follows_steering_and_acceleration(simulate):
    robot = ROOT / "robots" / "impreza.xml"
    inputs = "time,steering,acceleration,gear\n0,0.05,2,DRIVE\n2,0.05,-2,DRIVE\n"
    _, columns = simulate(robot, "--seconds", 2.5, inputs=inputs)
    assert columns["velocity"][80] == pytest.approx(3.7, abs=0.15)
    assert columns["velocity"][-1] == pytest.approx(2.65, abs=0.15)
    assert abs(columns["x"][0]) < 1e-9
    turned = columns["yaw"][-1] / (np.tan(0.05) / 2.52)
    assert turned == pytest.approx(columns["x"][-1], rel=0.05)


def test_a_robot_with_wheels_drives_backwards_to_a_velocity(simulate):
    robot = ROOT / "robots" / "impreza.xml"
    inputs = "time,steering,velocity,gear\n0,0,-2,REVERSE\n"
    _, columns = simulate(robot, "--seconds", 3, inputs=inputs)
    assert columns["velocity"][-1] == pytest.approx(-1.95, abs=0.1)


def test_a_robot_with_a_kinematic_vehicle_moves_as_its_model(simulate):
    _, own = simulate(ROOT / "robots" / "kinematic_car.xml", "--seconds", 2)
    _, named = simulate(
        *("--model", "DELAY_STEER_ACC_GEARED", "--seconds", 2, "--parameter", "wheelbase=2.52")
    )
    assert own["x"].tolist() == named["x"].tolist()


def test_the_motion_is_drawn(simulate, tmp_path):
    plot = tmp_path / "new" / "out.svg"
    result, _ = simulate("--model", "KS", "--seconds", 1, "--plot", plot)
    assert result.exit_code == 0, result.output
    texts = [each.text for each in ElementTree.parse(plot).iter() if each.tag.endswith("text")]
    assert {"path", "steering [rad]", "yaw [rad]", "time [s]"} <= set(texts)


@pytest.mark.parametrize(
    ("words", "inputs", "message"),
    [
        (("--model", "DELAY_STER_ACC"), GEARED, "did you mean 'DELAY_STEER_ACC'?"),
        (("--model", "X"), GEARED, "models: IDEAL_STEER_VEL,"),
        (
            ("--model", "IDEAL_STEER_ACC", "--parameter", "wheel_base=2"),
            GEARED,
            "has no parameter 'wheel_base'; did you mean 'wheelbase'?",
        ),
        (
            ("--model", "IDEAL_STEER_ACC", "--parameter", "steer_lim=1"),
            GEARED,
            "the model IDEAL_STEER_ACC has no parameter 'steer_lim' (it has wheelbase,",
        ),
        (
            ("--model", "DELAY_STEER_ACC", "--parameter", "steer_lim=nan"),
            GEARED,
            "steer_lim: expected a finite number [rad], not 'nan'",
        ),
        (("--model", "KS"), "time,steer,acceleration\n", "in.csv:1: there is no column 'steer'; "),
        (("--model", "KS"), "time,steering\n0,0\n", "no column 'acceleration or velocity'"),
        (
            ("--model", "KS"),
            GEARED + "1,0,0,DRIV\n",
            "in.csv:3: there is no gear 'DRIV'; did you mean 'DRIVE'?",
        ),
        (("--model", "KS"), GEARED + "1,nan,0,LOW\n", "in.csv:3: steering: expected a finite"),
        (("--model", "KS"), GEARED + "1,x,0,LOW\n", "in.csv:3: steering: expected a number"),
        (("--model", "KS"), GEARED + "0,0,0,LOW\n", "in.csv:3: expected a time after 0 s"),
        (("--model", "KS"), GEARED + "1,0,0\n", "in.csv:3: expected 4 cells, not 3"),
        (("--model", "KS"), GEARED, "say how long by --seconds"),
        (
            ("--model", "IDEAL_STEER_VEL", "--seconds", "1"),
            GEARED,
            "the model IDEAL_STEER_VEL is driven by the column 'velocity'",
        ),
        (("--model", "KS", "--parameter", "wheelbase"), GEARED, "is not NAME=VALUE"),
        (("nothing.xml",), GEARED, "nothing.xml"),
        ((), GEARED, "give either a ROBOT file or --model"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_the_nearest_name(simulate, words, inputs, message):
    result, _ = simulate(*words, inputs=inputs)
    assert result.exit_code != 0
    assert message in result.output.replace("\n", " ")
