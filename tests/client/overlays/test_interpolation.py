"""States between states, and when they are shown."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.overlays.interpolation import Interpolation, Playback, slerp
from autosim.client.panda.panda_frames import rotation_matrix
from autosim.config.world_settings import TrafficDescription
from autosim.kinds.director import build_tree
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.traffic.traffic_node import P, V, traffic_arrays_of
from tests.engine.step.test_shaped_objects import THINGS, thing
from tests.server.light_simulation import light_world

TREE = build_tree(light_world(2))


def about_z(angle: float) -> np.ndarray:
    return np.array([0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)])


def place_of(robot: str) -> slice:
    node = TREE.find(f"{robot}.box")
    assert node is not None
    first = node.field_offset("position") // WORD
    return slice(first, first + 3)


def turn_of(robot: str) -> slice:
    node = TREE.find(f"{robot}.box")
    assert node is not None
    first = node.field_offset("orientation") // WORD
    return slice(first, first + 4)


def state_at(step: int, x: float, yaw: float = 0.0) -> State:
    state = State(TREE)
    state.ints[0] = step
    state.floats[place_of("r1")] = (x, 2.0, 3.0)
    state.floats[turn_of("r1")] = about_z(yaw)
    return state


def x_of(state: State) -> float:
    return float(state.floats[place_of("r1")][0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.5, 3.0])
def test_orientations_turn_evenly_along_the_shorter_arc(sign: float, angle: float) -> None:
    between = slerp(about_z(0.2)[None], sign * about_z(0.2 + angle)[None], 0.25)[0]
    expected = rotation_matrix(about_z(0.2 + 0.25 * angle))
    np.testing.assert_allclose(rotation_matrix(between), expected, atol=1e-9)


def test_ends_of_the_arc_are_the_given_orientations() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.normal(size=(2, 50, 4))
    for share, given in ((0.0, a), (1.0, b)):
        unit = given / np.linalg.norm(given, axis=1, keepdims=True)
        cosines = np.abs(np.sum(slerp(a, b, share) * unit, axis=1))
        np.testing.assert_allclose(cosines, 1.0, atol=1e-12)


def test_parts_move_and_all_else_is_of_the_later_state() -> None:
    earlier, later, between = state_at(10, 0.0), state_at(14, 8.0, yaw=1.0), State(TREE)
    Interpolation(TREE).between(earlier, later, 0.75, into=between)
    assert x_of(between) == pytest.approx(6.0)
    np.testing.assert_allclose(between.floats[turn_of("r1")], about_z(0.75))
    assert between.step == 14


@pytest.mark.parametrize("name", THINGS)
def test_objects_of_all_shapes_move(name: str) -> None:
    tree = build_tree(replace(light_world(1), objects=(thing(name),)))
    node = tree.find(name)
    assert node is not None
    first = node.field_offset("position") // WORD
    earlier, later, between = State(tree), State(tree), State(tree)
    later.floats[first : first + 3] = 4.0, 8.0, 0.0
    Interpolation(tree).between(earlier, later, 0.25, into=between)
    np.testing.assert_allclose(between.floats[first : first + 3], (1.0, 2.0, 0.0))


def test_states_that_have_no_orientation_yet_are_shown_upright() -> None:
    between = State(TREE)
    Interpolation(TREE).between(State(TREE), State(TREE), 0.5, into=between)
    np.testing.assert_array_equal(between.floats[turn_of("r0")], (0, 0, 0, 1))


def test_a_slow_server_is_shown_one_interval_late_and_then_rests() -> None:
    playback = Playback(TREE, frame_seconds=0.01)
    playback.take(state_at(0, 0.0), 1.0)
    assert playback.advance(1.0)
    playback.take(state_at(24, 10.0), 1.125)
    shown = []
    for now in (1.15625, 1.1875, 1.25, 1.5):
        if playback.advance(now):
            shown.append(x_of(playback.state))
    assert shown == pytest.approx([2.5, 5.0, 10.0])
    assert not playback.advance(9.0)


def test_pictures_that_are_drawn_whenever_a_state_comes_stay_one_state_behind() -> None:
    playback = Playback(TREE, frame_seconds=0.01)
    for number in range(1, 9):
        now = 1.0 + 0.0625 * number
        playback.take(state_at(number, float(number)), now)
        playback.advance(now)
        assert x_of(playback.state) >= number - 1


def test_a_screen_that_is_slower_than_the_server_shows_the_newest_state() -> None:
    playback = Playback(TREE, frame_seconds=0.016)
    for number in range(1, 9):
        now = 1.0 + 0.05 * number
        playback.take(state_at(3 * number, float(number)), now, states=3)
        playback.advance(now)
        assert x_of(playback.state) == number


def test_a_fast_server_is_shown_as_it_is() -> None:
    playback = Playback(TREE, frame_seconds=0.016)
    for step in range(3):
        playback.take(state_at(step, float(step)), 1.0 + 0.016 * step)
        assert playback.advance(1.0 + 0.016 * step)
        assert x_of(playback.state) == step
        assert not playback.advance(1.0 + 0.016 * step + 0.008)


@pytest.mark.parametrize(("step", "arrived"), [(20, 6.0), (3, 1.1)])
def test_after_a_pause_or_a_reset_nothing_is_interpolated(step: int, arrived: float) -> None:
    playback = Playback(TREE)
    playback.take(state_at(10, 0.0), 1.0)
    playback.advance(1.0)
    playback.take(state_at(step, 50.0), arrived)
    assert playback.advance(arrived)
    assert x_of(playback.state) == 50.0


def traffic_state(step: int, x: float, yaw: float, kind: float = 0.0) -> tuple[State, object]:
    world = replace(light_world(1), traffic=TrafficDescription(vehicles=1, people=1))
    state = State(build_tree(world))
    state.ints[0] = step
    arrays = traffic_arrays_of(state)
    arrays.vehicles[0, [V.kind, V.x, V.yaw, V.lights]] = kind, x, yaw, step
    arrays.people[0, [P.kind, P.x, P.yaw]] = kind, x, yaw
    return state, arrays


def test_traffic_moves_between_states_and_turns_the_shorter_way():
    (first, _), (second, _) = traffic_state(1, 10.0, 3.0), traffic_state(2, 11.0, -3.0)
    between, arrays = traffic_state(0, 0.0, 0.0)
    Interpolation(between.tree).between(first, second, 0.5, into=between)
    assert arrays.vehicles[0, V.x] == arrays.people[0, P.x] == 10.5
    assert abs(arrays.vehicles[0, V.yaw]) == pytest.approx(np.pi, abs=1e-6)
    assert arrays.vehicles[0, V.lights] == 2.0


@pytest.mark.parametrize(("x", "kind"), [(90.0, 0.0), (11.0, 1.0)])
def test_who_is_put_elsewhere_or_is_another_does_not_glide(x, kind):
    (first, _), (second, _) = traffic_state(1, 10.0, 0.0), traffic_state(2, x, 0.0, kind)
    between, arrays = traffic_state(0, 0.0, 0.0)
    Interpolation(between.tree).between(first, second, 0.5, into=between)
    assert arrays.vehicles[0, V.x] == arrays.people[0, P.x] == x
