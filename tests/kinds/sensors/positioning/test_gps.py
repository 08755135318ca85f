"""GPS receivers: GGA sentences, satellites hidden by what stands around, and reflections."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.kinds.nmea import NmeaError, read_gga, read_rmc
from autosim.kinds.sensors.positioning.gps import GPSBank, GPSSensor
from autosim.kinds.sensors.positioning.satellite_visibility import SATELLITES, constellation
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.world.geometry.meshes import Mesh
from tests.kinds.test_banks import CONTEXT, QUIET, body, mount

PLACE = (120.0, -80.0, 31.25)


def plate(corners):
    """A quadrilateral (4, 3) [m] in W."""
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    return Mesh(np.array(corners, dtype=float), triangles, np.zeros(2, dtype=np.uint8))


def roof(*, low=(-300.0, -300.0), high=(300.0, 300.0), z=5.0):
    """A level plate over PLACE from `low` to `high` [m] about it, `z` [m] above it."""
    (west, south), (east, north) = low, high
    corners = [(west, south, z), (east, south, z), (east, north, z), (west, north, z)]
    return plate(np.array(corners) + PLACE)


def bank_of(*receivers, meshes=(), seed=0):
    devices, state = mount(*receivers)
    bodies = body(yaw=0.0, velocity=(3.0, 4.0, 0.0))
    bodies.positions[0] = PLACE
    context = replace(CONTEXT, rays=RayCaster(RayScene(meshes)), seed=seed)
    return GPSBank(devices, context), devices, bodies, state


def sentences(receiver, *, meshes=()):
    """RMC and GGA of a receiver at PLACE in the first step."""
    bank, devices, bodies, state = bank_of(receiver, meshes=meshes)
    bank.sense(bodies, state, QUIET)
    node = devices[0].node
    return [state.value(node, field) for field in node.fields]


SEEING = GPSSensor("gps", "", has_gga=True, sees_sky=True)


def test_a_gga_sentence_tells_place_height_and_satellites():
    rmc, gga = sentences(GPSSensor("gps", "", has_gga=True))
    fix, place = read_gga(gga), read_rmc(rmc)
    assert (fix.latitude, fix.longitude) == (place.latitude, place.longitude)
    assert fix.height == pytest.approx(31.2, abs=0.06)
    assert (fix.satellites, fix.dilution) == (SATELLITES, 1.0)
    assert gga.startswith("$GPGGA,000000.00,")
    assert len(gga) <= 80


def test_a_height_below_zero_has_its_sign():
    bank, devices, bodies, state = bank_of(GPSSensor("gps", "", has_gga=True))
    bodies.positions[0, 2] = -3.42
    bank.sense(bodies, state, QUIET)
    node = devices[0].node
    assert read_gga(state.value(node, node.fields[1])).height == -3.4


def test_the_rmc_sentence_is_the_same_beside_a_gga_sentence_and_under_open_sky():
    (plain,) = sentences(GPSSensor("gps", ""))
    assert sentences(SEEING)[0] == plain


def test_satellites_are_spread_over_the_sky():
    ways = constellation()
    assert np.linalg.norm(ways, axis=1) == pytest.approx(1.0)
    assert ways[:, 2].min() > np.sin(np.pi / 18)
    assert np.abs(ways[:, :2].mean(axis=0)).max() < 0.1


def test_a_wide_roof_takes_the_fix_away_and_the_sentences_say_so():
    rmc, gga = sentences(SEEING, meshes=(roof(),))
    for sentence, read in ((rmc, read_rmc), (gga, read_gga)):
        with pytest.raises(NmeaError, match="no fix"):
            read(sentence)
    assert rmc.startswith("$GPRMC,000000.00,V,,,,,,,010108,,,N*")
    assert gga.startswith("$GPGGA,000000.00,,,,,0,00,,,,,,,*")


def test_a_receiver_that_does_not_look_has_a_fix_under_a_roof():
    assert read_rmc(sentences(GPSSensor("gps", ""), meshes=(roof(),))[0]).speed > 4.9


def test_a_wall_hides_the_satellites_behind_it_and_none_else():
    east = np.array([[5.0, -400, -50], [5, 400, -50], [5, 400, 4000], [5, -400, 4000]])
    _, gga = sentences(SEEING, meshes=(plate(east + PLACE),))
    ways = constellation() * 500.0
    # A ray meets the wall where it gets 5 m east within the wall's 400 m to each side.
    hidden = (ways[:, 0] > 5.0) & (np.abs(ways[:, 1]) * 5.0 / np.abs(ways[:, 0]) < 400.0)
    fix = read_gga(gga)
    assert fix.satellites == SATELLITES - hidden.sum()
    seen = np.column_stack([constellation()[~hidden], np.ones((~hidden).sum())])
    inverse = np.linalg.inv(seen.T @ seen)
    assert fix.dilution == pytest.approx(np.sqrt(inverse[0, 0] + inverse[1, 1]), abs=0.006)


def test_the_text_of_a_longer_sentence_is_gone_when_the_fix_is_lost():
    bank, devices, bodies, state = bank_of(replace(SEEING, update_rate=240.0), meshes=(roof(),))
    node = devices[0].node
    bodies.positions[0, 2] += 20.0
    bank.sense(bodies, state, QUIET)
    assert read_gga(state.value(node, node.fields[1])).satellites == SATELLITES
    bodies.positions[0, 2] -= 20.0
    state.ints[0] = 1
    bank.sense(bodies, state, QUIET)
    assert state.value(node, node.fields[0]).count("$") == 1
    assert state.value(node, node.fields[0])[-3] == "*"


def errors_of(receiver, *, steps, meshes=(), seed=0):
    """Errors (steps, 2) [m] east and north of a receiver that stands still, one a step."""
    bank, devices, bodies, state = bank_of(receiver, meshes=meshes, seed=seed)
    bodies.velocities[:] = 0.0
    found = []
    for step in range(steps):
        state.ints[0] = step
        bank.sense(bodies, state, QUIET)
        fix = read_rmc(state.value(devices[0].node, devices[0].node.fields[0]))
        found.append((fix.latitude, fix.longitude))
    return CONTEXT.projection.to_local(np.array(found)) - PLACE[:2]


WALKING = GPSSensor("gps", "", update_rate=240.0, multipath=4.0, multipath_time=0.05)


def test_reflections_walk_with_the_deviation_and_the_time_of_the_file_and_stay_bounded():
    errors = errors_of(WALKING, steps=6000)
    deviation = 0.2 * 4.0
    assert errors.std(axis=0) == pytest.approx([deviation, deviation], rel=0.15)
    assert np.abs(errors).max() <= 3.0 * deviation + 0.01
    kept = np.exp(-1 / 240 / 0.05)
    for axis in range(2):
        assert np.corrcoef(errors[1:, axis], errors[:-1, axis])[0, 1] == pytest.approx(
            kept, abs=0.03
        )


def test_reflections_are_stronger_where_satellites_are_hidden_and_follow_from_the_seed():
    wall = plate(np.array([[5.0, -400, -50], [5, 400, -50], [5, 400, 999], [5, -400, 999]]) + PLACE)
    open_sky = errors_of(replace(WALKING, sees_sky=True), steps=50)
    beside = errors_of(replace(WALKING, sees_sky=True), steps=50, meshes=(wall,))
    assert (np.abs(beside[1:]) > 1.5 * np.abs(open_sky[1:])).all()
    assert (errors_of(WALKING, steps=50) == errors_of(WALKING, steps=50)).all()
    assert (errors_of(WALKING, steps=50, seed=1)[1:] != errors_of(WALKING, steps=50)[1:]).all()
