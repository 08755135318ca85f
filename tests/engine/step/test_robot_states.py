"""What robots believe, beside what is true: one until somebody owns the belief."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import Device, PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.kinds.owners.program_state import ProgramState
from autosim.model.belief import (
    StateEstimate,
    belief_of,
    is_decoupled,
    make_estimate,
    state_words,
    truth_of,
)
from autosim.model.commands import DeviceError, command_for
from autosim.model.notices import Notice
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from tests.worlds import flat_world, impreza_world


def robot_with(*owners: Device) -> PlacedRobot:
    """The car at the origin, with other devices than it comes with."""
    (placed,) = impreza_world(position=(0.0, 0.0, None), yaw=0.0).robots
    devices = [each for each in placed.robot.devices if not isinstance(each, ProgramState)]
    return replace(placed, robot=replace(placed.robot, devices=(*devices, *owners)))


def simulate(*owners: Device, said: list[Notice] | None = None) -> Simulation:
    world = replace(impreza_world(), robots=(robot_with(*owners),))
    report = said.append if said is not None else lambda notice: None
    return Simulation(world, compiled=flat_world(), report=report)


def states(simulation: Simulation) -> tuple[StateEstimate, StateEstimate]:
    """What the car believes, and what is true."""
    return tuple(
        StateEstimate.of(
            state_words(simulation.state.floats, node(simulation.tree, "impreza")),
            simulation.state.time,
        )
        for node in (belief_of, truth_of)
    )


def drive(simulation: Simulation, steps: int) -> None:
    simulation.queue([command_for(simulation.tree, "impreza.chassis.drive_chassis", [0.2, 0.5, 0])])
    for _ in range(steps):
        simulation.step()


def set_belief(simulation: Simulation, **values) -> None:
    words = make_estimate(simulation.state.time, **values).words()
    simulation.queue([command_for(simulation.tree, "impreza.state", words)])


PROGRAM_STATE = ProgramState("belief", "chassis")


def test_without_an_owner_belief_and_truth_are_one():
    with simulate() as simulation:
        belief, truth = (node(simulation.tree, "impreza") for node in (belief_of, truth_of))
        assert not is_decoupled(belief)
        assert (belief.start, belief.stop) == (truth.start, truth.stop)
        drive(simulation, 50)
        believed, true = states(simulation)
        part = simulation.tree.find("impreza.chassis")
        place = simulation.state.value(part, part.fields[0])
    np.testing.assert_array_equal(true.position, place)
    np.testing.assert_array_equal(believed.position, place)
    assert true.time == pytest.approx(50 / 240)
    assert not believed.covariance.any()


def test_the_acceleration_is_the_change_of_the_velocity():
    with simulate() as simulation:
        drive(simulation, 100)
        before = states(simulation)[1]
        simulation.step()
        after = states(simulation)[1]
    change = (after.velocity - before.velocity) * 240
    np.testing.assert_allclose(after.acceleration, change)
    assert np.linalg.norm(change[:2]) > 1.0


def test_a_robot_that_is_put_elsewhere_has_not_accelerated():
    with simulate() as simulation:
        drive(simulation, 100)
        simulation.place("impreza", (50.0, 0.0), yaw=0.0)
        believed, true = states(simulation)
    np.testing.assert_allclose(true.position[:2], (50.0, 0.0), atol=1e-6)
    np.testing.assert_array_equal(true.acceleration, np.zeros(3))
    np.testing.assert_array_equal(believed.position, true.position)


def test_a_belief_follows_the_truth_until_a_program_sets_it():
    with simulate(PROGRAM_STATE) as simulation:
        assert is_decoupled(belief_of(simulation.tree, "impreza"))
        drive(simulation, 100)
        believed, true = states(simulation)
        np.testing.assert_array_equal(believed.position, true.position)
        assert believed.age == 0.0
        set_belief(simulation, position=(1.0, 2.0, 3.0), heading=0.5)
        drive(simulation, 24)
        believed, true = states(simulation)
        place = simulation.place("impreza", (50.0, 0.0), yaw=0.0).position
        stays = states(simulation)[0]
    np.testing.assert_array_equal(believed.position, (1.0, 2.0, 3.0))
    assert believed.heading == pytest.approx(0.5)
    assert believed.age == pytest.approx(0.1)
    assert np.linalg.norm(true.position - believed.position) > 1.0
    np.testing.assert_array_equal(stays.position, (1.0, 2.0, 3.0))
    assert place[0] == 50.0


def test_a_belief_that_is_the_truth_with_a_covariance_is_a_belief():
    with simulate(PROGRAM_STATE) as simulation:
        drive(simulation, 10)
        _, true = states(simulation)
        believed = replace(true, covariance=np.eye(9))
        simulation.queue([command_for(simulation.tree, "impreza.state", believed.words())])
        drive(simulation, 10)
        now, _ = states(simulation)
    np.testing.assert_array_equal(now.position, true.position)
    np.testing.assert_array_equal(now.covariance, np.eye(9))


def test_an_owner_that_stops_is_reported_once_with_the_age_of_the_belief():
    said: list[Notice] = []
    with simulate(replace(PROGRAM_STATE, stale_after=0.5), said=said) as simulation:
        drive(simulation, 240)
        assert not [each for each in said if each.level == "warning"]
        set_belief(simulation, position=(0, 0, 0), heading=0)
        drive(simulation, 240)
        (told,) = (each for each in said if each.level == "warning")
        assert told.source == "impreza"
        assert "is 0.60 s old: its owner has set it at 1.00 s and not since" in told.text
        set_belief(simulation, position=(0, 0, 0), heading=0)
        drive(simulation, 240)
    assert len([each for each in said if each.level == "warning"]) == 2


def test_nobody_sets_what_has_no_owner_and_nobody_sets_the_truth():
    with simulate() as simulation:
        words = states(simulation)[0].words()
        for name in ("impreza.state", "impreza.state_truth"):
            with pytest.raises(DeviceError, match="cannot be set"):
                command_for(simulation.tree, name, words)
        with pytest.raises(DeviceError, match="has the device <ProgramState>"):
            command_for(simulation.tree, "impreza.state", words)


@pytest.mark.parametrize("owners", [(), (PROGRAM_STATE,)])
def test_the_tree_comes_over_the_wire_with_belief_and_truth_where_they_are(owners):
    with simulate(*owners) as simulation:
        tree = simulation.tree
    copy = tree_from_bytes(tree_to_bytes(tree))
    assert copy.digest == tree.digest
    assert copy.stop == tree.stop
    for node in (belief_of, truth_of):
        assert node(copy, "impreza").start == node(tree, "impreza").start
        assert node(copy, "impreza").access is node(tree, "impreza").access
    assert is_decoupled(belief_of(copy, "impreza")) == bool(owners)


def test_belief_and_truth_go_on_from_a_snapshot():
    with simulate(PROGRAM_STATE) as first, simulate(PROGRAM_STATE) as second:
        drive(first, 50)
        set_belief(first, position=(1, 2, 3), heading=0.1)
        drive(first, 50)
        second.restore(first.snapshot())
        assert bytes(second.state.buffer) == bytes(first.state.buffer)
        drive(first, 1)
        drive(second, 1)
        before, after = states(first), states(second)
    np.testing.assert_array_equal(before[0].position, after[0].position)
    np.testing.assert_allclose(before[1].acceleration, after[1].acceleration, atol=0.2)
