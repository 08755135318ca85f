"""A program reads what its robot is made of."""

from pathlib import Path

import pytest

from autosim.config.descriptions import RobotDescription
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.bodies.spherical_link import SphericalLink
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.loading.loader import load_robot
from autosim.model.commands import DeviceError
from autosim.userprogram.session.node_records import describe, describe_robot
from tests.userprogram.rig import Toy, closing, tree_of, write
from tests.worlds import ROOT

RIG = tree_of(load_robot(ROOT / "robots" / "trailer_rig.xml"), "rig")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rig", RobotDescription),
        ("rig.trailer", BoxPart),
        ("rig.towbar", SphericalLink),
        ("rig.chassis.gps", GPSSensor),
    ],
)
def test_every_node_has_its_record(name: str, kind: type):
    assert isinstance(describe(RIG, name), kind)


def test_devices_of_one_name_are_told_apart_by_their_parts():
    assert {describe(RIG, f"rig.{part}.compass").part for part in ("chassis", "trailer")} == {
        "chassis",
        "trailer",
    }


@pytest.mark.parametrize(
    ("name", "code"),
    [("rig.chassis.gsp", "UNKNOWN_DEVICE.*did you mean"), ("car", "UNKNOWN_ROBOT")],
)
def test_what_is_not_there_is_named(name: str, code: str):
    with pytest.raises(DeviceError, match=code):
        describe(RIG, name)


def test_only_robots_are_measured():
    with pytest.raises(DeviceError, match=r"INVALID_DEVICE.*is a GPSSensor, no robot"):
        describe_robot(RIG, "rig.chassis.gps")


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_a_program_is_told_the_same_in_a_process_and_in_a_thread(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    program = write(
        tmp_path,
        "curious",
        """
        from autosim.userprogram import describe, get_vehicle_info

        def main(argv):
            psd = describe(f"{argv[0]}.chassis.psd0")
            print(psd.range, psd.direction, describe(argv[0]).parts[0].mass, flush=True)
            try:
                get_vehicle_info(argv[0])
            except ValueError as error:
                print(error, flush=True)
        """,
    )
    toy = Toy.new()
    participants = getattr(toy, kind)()
    with closing(participants):
        participants.launch(program, robot="beta")
        toy.run(participants, 1)
    assert toy.reasons() == {"curious": "main returned"}
    assert capfd.readouterr().out.splitlines() == [
        "10.0 (1.0, 0.0, 0.0) 1000.0",
        "the actuator 'drive' of robot 'toy' has no wheels",
    ]
