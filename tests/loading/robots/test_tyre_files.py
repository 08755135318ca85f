"""Tyres in robot files, and the `.tir` files that they name."""

import shutil
from pathlib import Path

import pytest

from autosim.kinds.actuators.tyre import Tyre
from autosim.kinds.actuators.tyre_file import TyreFileError, read_tyre_file
from autosim.kinds.actuators.wheel import AntiRollBar, WheelDevice
from autosim.loading.loader import load_robot, load_world
from autosim.loading.world_writer import written_files
from tests.config.samples import ROBOT, faults, write, write_world
from tests.paths import ROOT

PASSENGER = ROOT / "robots" / "tyres" / "passenger.tir"
NEEDED = "FNOMIN = 4000\nPCX1=1.6\nPDX1=1.1\nPKX1=22\nPCY1=1.3\nPDY1=1.0\nPKY1=-24\nPKY2=1.8\n"


def faults_of(text: str) -> tuple[str, ...]:
    with pytest.raises(TyreFileError) as raised:
        read_tyre_file(text.encode())
    return raised.value.faults


def test_the_shipped_tyre_is_read() -> None:
    file = read_tyre_file(PASSENGER.read_bytes())
    assert file.model == "magic_formula_6.1"
    assert file.coefficients["PKY1"] == -24.62
    assert "LENGTH" not in file.coefficients


@pytest.mark.parametrize(
    ("head", "model"),
    [
        ("[MODEL]\nFITTYP = 61\n", "magic_formula_6.1"),
        ("[MODEL]\nFITTYP = 6 $ of Adams\n", "magic_formula_5.2"),
        ("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n", "magic_formula_5.2"),
    ],
)
def test_a_file_says_which_formula_it_is_for(head: str, model: str) -> None:
    assert read_tyre_file((head + "[VERTICAL]\n" + NEEDED).encode()).model == model


def test_comments_tables_and_keys_of_other_forces_are_passed_over() -> None:
    text = "! a remark\n[MODEL]\nFITTYP=52\n[SHAPE]\n{radial width}\n1.0 0.4\n0.9 1.0\n[X]\n"
    file = read_tyre_file((text + NEEDED + "QBZ1 = 8.9\n").encode())
    assert "QBZ1" not in file.coefficients
    assert file.coefficients["PKX1"] == 22.0


def test_all_faults_come_at_once_with_their_lines() -> None:
    text = "[UNITS]\nLENGTH = 'mm'\nnonsense\n[MODEL]\nFITTYP = 7\n[VERTICAL]\nFNOMIN = heavy\n"
    faults = faults_of(text)
    assert "line 3: expected KEY = value, not 'nonsense'" in faults
    assert "line 2: LENGTH has the unit 'mm': expected 'meter'" in faults
    assert "line 7: FNOMIN is 'heavy': expected a number" in faults
    assert any(fault.startswith("line 5: FITTYP is '7': expected one of") for fault in faults)
    assert "it has no PCX1, PDX1, PKX1, PCY1, PDY1, PKY1, PKY2" in faults


@pytest.mark.parametrize("value", ["nan", "inf", "1,5", ""])
def test_a_coefficient_that_is_no_number_is_an_error(value: str) -> None:
    faults = faults_of(f"[MODEL]\nFITTYP=61\n[X]\n{NEEDED}PEX1 = {value}\n")
    assert faults == (f"line 12: PEX1 is '{value}': expected a number",)


def test_two_values_of_one_coefficient_are_an_error() -> None:
    faults = faults_of(f"[MODEL]\nFITTYP=61\n[X]\n{NEEDED}PKX1 = 23\n")
    assert faults == ("line 12: PKX1 has another value in an earlier line",)


def test_a_tyre_that_is_described_by_nothing_is_the_standard_one() -> None:
    assert Tyre().model == "standard"


def with_wheel(text: str, *, second: str | None = None) -> str:
    """The sample robot with `text` in its wheel, and with another wheel that has `second`."""
    begin, end = ROBOT.index("<WheelDevice"), ROBOT.index("</WheelDevice>")
    wheel = ROBOT[begin:end]
    other = "" if second is None else wheel.replace("front_left", "front_right") + second
    closing = "</WheelDevice>\n"
    return ROBOT.replace(wheel, wheel + text + (closing + other if other else ""))


def wheel_of(folder: Path, text: str) -> WheelDevice:
    shutil.copy(PASSENGER, folder / "passenger.tir")
    robot = load_robot(write(folder, with_wheel(text)))
    return next(each for each in robot.devices if isinstance(each, WheelDevice))


def test_a_wheel_has_the_coefficients_of_its_file_and_those_of_the_robot_instead(
    tmp_path: Path,
) -> None:
    stated = '<Coefficient name="PDY1" value="0.9"/>'
    wheel = wheel_of(
        tmp_path, f'<Tyre model="magic_formula_6.1" file="passenger.tir">{stated}</Tyre>'
    )
    coefficients = dict(wheel.tyre.coefficients)
    assert (coefficients["PDY1"], coefficients["PKY1"]) == (0.9, -24.62)


def test_a_suspension_says_how_it_ends(tmp_path: Path) -> None:
    plain = wheel_of(tmp_path, "")
    assert (plain.suspension_kd_rebound, plain.suspension_travel, plain.bump_stop_ks) == (None,) * 3
    assert plain.anti_roll_bar is None
    bar = '<AntiRollBar wheel="front_right" ks="12"/>'
    text = with_wheel(
        '<SuspensionKdRebound value="40"/><SuspensionTravel value="0.08"/>' + bar, second=""
    )
    robot = load_robot(write(tmp_path, text))
    wheel = next(each for each in robot.devices if isinstance(each, WheelDevice))
    assert (wheel.suspension_kd_rebound, wheel.suspension_travel) == (40.0, 0.08)
    assert wheel.anti_roll_bar == AntiRollBar("front_right", 12.0)


BAR = '<AntiRollBar wheel="front_right" ks="12"/>'
WRONG = [
    ('<Tyre model="brushes"/>', "brush"),
    ('<Tyre model="brush"><Coefficient name="PDY1" value="1"/></Tyre>', "takes none"),
    (
        '<Tyre model="brush" frictionLoadSensitivity="0.1"/>',
        "has frictionLoadSensitivity without nominalLoad: add the load",
    ),
    (
        '<Tyre model="magic_formula_6.1" file="passenger.tir" nominalLoad="4000" '
        'stiffnessLoadSensitivity="0.3"/>',
        "has stiffnessLoadSensitivity, but a Magic Formula takes these from its coefficients",
    ),
    ('<Tyre model="magic_formula_6.1"/>', "needs a file, or the coefficients FNOMIN, PCX1"),
    (
        '<Tyre model="magic_formula_6.1" file="passenger.tir"><Coefficient name="PDY9" value="1"/>'
        "</Tyre>",
        "has no coefficient 'PDY9'; did you mean",
    ),
    ('<Tyre model="magic_formula_5.2" file="passenger.tir"/>', "for the model 'magic_formula_6.1'"),
    ('<Tyre model="magic_formula_6.1" file="none.tir"/>', "none.tir"),
    ('<Tyre model="magic_formula_6.1" file="bad.tir"/>', "'bad.tir', line 2: FITTYP is 'x'"),
    ('<AntiRollBar wheel="front_left" ks="12"/>', "names 'front_left', which is not another wheel"),
    (BAR, "names 'front_right', which is not another wheel"),
]


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[each[1] for each in WRONG])
def test_faults_of_tyres_and_bars_are_named(tmp_path: Path, text: str, expected: str) -> None:
    shutil.copy(PASSENGER, tmp_path / "passenger.tir")
    (tmp_path / "bad.tir").write_text("[MODEL]\nFITTYP = x\n" + NEEDED)
    found = faults(tmp_path, with_wheel(text))
    assert any(expected in each.message for each in found), found
    assert all("front_left" in each.message or "<Tyre>" in each.message for each in found)


def test_a_bar_is_written_once(tmp_path: Path) -> None:
    back = '<AntiRollBar wheel="front_left" ks="12"/>'
    found = faults(tmp_path, with_wheel(BAR, second=back))
    assert any("is the second on" in each.message for each in found)


def test_server_and_clients_have_to_have_the_same_tyre_file(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    shutil.copy(PASSENGER, tmp_path / "passenger.tir")
    cart = tmp_path / "robots" / "cart.xml"
    cart.write_text(with_wheel('<Tyre model="magic_formula_6.1" file="passenger.tir"/>'))
    world = load_world(path)
    assert "passenger.tir" in dict(world.files)
    assert dict(written_files(world, (tmp_path,)))["passenger.tir"]
