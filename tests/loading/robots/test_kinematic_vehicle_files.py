"""What robot files may say of kinematic vehicles, and what is wrong with others."""

import pytest

from autosim.config.diagnostics import ConfigError
from autosim.loading.loader import load_robot

ROBOT = """\
<Robot name="r">
  <Parts>
    <Box name="b"><Size x="1" y="1" z="1"/><Mass value="1"/>{part}</Box>
    {bodies}
  </Parts>
  <Devices>
    <KinematicVehicle name="v" model="{model}"><Part name="b"/>
      {parameters}
    </KinematicVehicle>
    {devices}
  </Devices>
</Robot>
"""

OTHER = '<KinematicVehicle name="w" model="KS"><Part name="b"/></KinematicVehicle>'
MAP = "default,0,10\n-1,-1,-2\n1,1,2\n"


@pytest.fixture
def robot(tmp_path):
    """Reads a robot whose file has these words in it."""

    def read(parameters="", *, model="DELAY_STEER_ACC", part="", bodies="", devices=""):
        text = ROBOT.format(
            parameters=parameters, model=model, part=part, bodies=bodies, devices=devices
        )
        (tmp_path / "r.xml").write_text(text)
        return load_robot(tmp_path / "r.xml", roots=[tmp_path])

    return read


def test_parameters_have_the_values_of_the_file_or_their_defaults(robot):
    vehicle = robot('<steer_lim value="0.5"/>').devices[0]
    assert vehicle.value("steer_lim") == 0.5
    assert vehicle.value("steer_time_delay") == 0.24
    assert vehicle.value("initialize_source") == "INITIAL_POSE_TOPIC"
    assert vehicle.reference_offset == pytest.approx(-2.79 / 2.0)
    assert robot(model="KS").devices[0].number("wheelbase") == pytest.approx(2.5789128)


def test_a_map_is_read_from_its_file(robot, tmp_path):
    (tmp_path / "acc.csv").write_text(MAP)
    found = robot(
        '<acceleration_map_path path="acc.csv"/>', model="DELAY_STEER_MAP_ACC_GEARED"
    ).devices[0]
    assert found.model_values["acceleration_map_path"] == MAP


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"model": "DELAY_STER_ACC"}, "r.xml:7: error: .*did you mean 'DELAY_STEER_ACC'"),
        (
            {"parameters": '<steer_lm value="1"/>'},
            "r.xml:8: error: .*<steer_lm>.*did you mean .*steer_lim",
        ),
        (
            {"parameters": '<steer_lim value="1"/>', "model": "IDEAL_STEER_VEL"},
            "r.xml:8: error: the model IDEAL_STEER_VEL has no parameter 'steer_lim'",
        ),
        ({"parameters": '<steer_lim value="nan"/>'}, "r.xml:8: error: .*finite number"),
        (
            {"parameters": f'<origin_frame_id value="{"m" * 33}"/>'},
            "r.xml:8: error: <origin_frame_id> .* is longer than 32 bytes",
        ),
        (
            {"parameters": '<initialize_source value="ORIGN"/>'},
            "r.xml:8: error: .*did you mean 'ORIGIN'",
        ),
        ({"part": '<Motion name="static"/>'}, "which is static: expected one that moves"),
        (
            {"devices": OTHER},
            "<KinematicVehicle> 'v' in line 7 moves the robot already",
        ),
        (
            {
                "bodies": '<Box name="c"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>'
                '<FixedLink name="f"><Parent name="b"/><Child name="c"/></FixedLink>'
            },
            "<FixedLink> 'f' joins 'b', which <KinematicVehicle> 'v' moves",
        ),
        (
            {
                "parameters": '<acceleration_map_path path="none.csv"/>',
                "model": "DELAY_STEER_MAP_ACC_GEARED",
            },
            "r.xml:8: error: <acceleration_map_path> of <KinematicVehicle> 'v': .*none.csv",
        ),
        (
            {
                "parameters": '<acceleration_map_path path="r.xml"/>',
                "model": "DELAY_STEER_MAP_ACC_GEARED",
            },
            "r.xml:8: error: .*'r.xml', line 1: expected a row of velocities",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(robot, words, message):
    with pytest.raises(ConfigError, match=message):
        robot(**words)
