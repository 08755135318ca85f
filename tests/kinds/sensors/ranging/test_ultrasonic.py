"""Ultrasonic sensors against walls whose distances and directions are known."""

from dataclasses import replace
from math import cos, pi, radians

import pytest

from autosim.config.noise_records import WhiteNoise
from autosim.kinds.sensors.ranging.ultrasonic import SOUND, UltrasonicSensor
from tests.kinds.sensors.alone import STEP, Alone, plate, wall
from tests.kinds.sensors.boxes_with_devices import box_robot, simulate

SENSOR = UltrasonicSensor("sonar", "")


def heard(*meshes, step=0, **changes):
    return Alone(replace(SENSOR, **changes), meshes=meshes).sense(step).values()


def post(angle, distance=2.0):
    """A plate 0.2 m wide that faces the origin, at an angle [rad] to the left."""
    x, y = distance * cos(angle), distance * cos(pi / 2 - angle)
    side = 0.1 * cos(pi / 2 - angle), -0.1 * cos(angle)
    low, high = (x - side[0], y - side[1]), (x + side[0], y + side[1])
    return plate([(*low, -1), (*high, -1), (*high, 1), (*low, 1)])


def test_the_nearest_thing_in_the_cone_gives_the_distance():
    assert heard(wall(3.0), wall(2.5)) == pytest.approx(2.5)


@pytest.mark.parametrize(("angle", "is_heard"), [(10, True), (14, True), (20, False), (-12, True)])
def test_only_what_is_within_the_opening_is_heard(angle, is_heard):
    found = heard(post(radians(angle)))
    assert found == pytest.approx(2.0 if is_heard else SENSOR.range, abs=0.02)


def test_what_turns_away_and_what_is_too_far_sends_nothing_back():
    assert heard(wall(2.0, turned=radians(20))) < 2.0
    assert heard(wall(2.0, turned=radians(65))) == SENSOR.range
    assert heard(wall(4.5)) == SENSOR.range
    ground = plate([(-50, -50, -0.5), (50, -50, -0.5), (50, 50, -0.5), (-50, 50, -0.5)])
    assert heard(ground) == SENSOR.range


def test_an_echo_from_too_near_is_lost():
    assert heard(wall(0.2), min_range=0.3) == SENSOR.range
    assert heard(wall(0.4), min_range=0.3) == pytest.approx(0.4)


def test_it_sends_again_when_sound_could_have_come_back_and_after_the_dead_time():
    alone = Alone(replace(SENSOR, dead_time=0.02), meshes=(wall(2.0),))
    assert alone.sense(0).values() == pytest.approx(2.0)
    alone.bodies.positions[0, 0] = 0.5
    period = 2.0 * SENSOR.range / SOUND + 0.02
    changes = [step for step in range(1, 30) if alone.sense(step).values() < 1.9]
    assert changes[0] == -int(-period // STEP)


def test_until_it_sends_for_the_first_time_it_says_that_nothing_is_there():
    alone = Alone(replace(SENSOR, offset=3 * STEP), meshes=(wall(2.0),))
    assert [alone.sense(step).values() for step in range(4)] == pytest.approx([4, 4, 4, 2])


SENDER = replace(SENSOR, name="sender")
LISTENER = replace(
    SENSOR,
    name="listener",
    position=(0.0, 3.0, 0.0),
    direction=(cos(radians(62)), -cos(radians(28)), 0.0),
)
"""Looks at where the sender's sound meets a wall 2 m ahead, so flat that its own is turned away."""


def test_sensors_of_a_robot_hear_each_other_where_they_send_at_once():
    alone = Alone(SENDER, LISTENER, meshes=(wall(2.0),)).sense()
    assert alone.values(0) == pytest.approx(2.0)
    # The way there is the sender's, about 2 m; the way back about 3.6 m.
    assert 2.4 < alone.values(1) < 2.9


def test_sensors_that_take_turns_or_cannot_hear_others_hear_themselves_alone():
    for deaf in (replace(LISTENER, has_crosstalk=False), replace(LISTENER, offset=STEP)):
        alone = Alone(SENDER, deaf, meshes=(wall(2.0),))
        alone.sense(0)
        assert alone.sense(1).values(1) == SENSOR.range


def test_noise_stays_within_the_range_and_follows_from_the_seed():
    noisy = replace(SENSOR, noises=(WhiteNoise(0.5),))
    first, again, other = (
        Alone(noisy, meshes=(wall(2.0),), seed=seed).sense().values() for seed in (1, 1, 2)
    )
    assert first == again != other
    assert abs(first - 2.0) <= 0.5
    assert Alone(noisy).sense().values() <= SENSOR.range


def test_it_hears_other_robots(tmp_path):
    sonar = '<UltrasonicSensor name="sonar"><Part name="hull"/><Position z="1"/></UltrasonicSensor>'
    sonar = sonar.replace('<Position z="1"/>', '<Position x="0" y="0" z="1"/>')
    seeing, plain = box_robot(tmp_path, sonar, name="seeing"), box_robot(tmp_path, "")
    with simulate((seeing, (0.0, 0.0, None), 0.0), (plain, (4.5, 0.0, None), 0.0)) as simulation:
        simulation.step()
        node = simulation.tree.find("r0.hull.sonar")
        assert simulation.state.value(node, node.fields[0]) == pytest.approx(2.5, abs=0.02)
