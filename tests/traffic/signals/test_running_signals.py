"""Signals in a simulation: as its state shows them, and as programs read and order them."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.applications.common.tree_values import command_of
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.model.commands import Command
from autosim.model.state import State
from autosim.traffic.traffic_node import traffic_arrays_of
from autosim.userprogram.session.node_explanations import explain
from autosim.world.lanes.lane_rules import SignalState
from tests.traffic.signals.junctions import north_south, signalled_crossing
from tests.worlds import impreza_world

STEPS = 30
"""Steps in a second: nothing moves that would need more."""


@pytest.fixture(scope="module")
def crossing(tmp_path_factory):
    return signalled_crossing(tmp_path_factory.mktemp("crossing"))


def signalled_world(program=None, **traffic):
    world = impreza_world(robots=1 if program else 0, program=program)
    physics = replace(world.physics, step_seconds=1.0 / STEPS)
    return replace(world, physics=physics, traffic=TrafficDescription(**traffic))


def shown(simulation):
    return traffic_arrays_of(simulation.state).signals[:4].tolist()


def test_signals_work_in_a_world_without_a_single_vehicle(crossing):
    with Simulation(signalled_world(), compiled=crossing) as simulation:
        seen = {tuple(shown(simulation))}
        for _ in range(40 * STEPS):
            simulation.step()
            seen.add(tuple(shown(simulation)))
    states = {state for row in seen for state in row}
    assert states == {SignalState.RED, SignalState.GREEN, SignalState.AMBER}


def test_signals_that_are_off_show_nothing(crossing):
    with Simulation(signalled_world(signals="off"), compiled=crossing) as simulation:
        simulation.step()
        assert shown(simulation) == [SignalState.OFF] * 4


def test_a_program_reads_the_signal_of_its_lane_and_orders_another_state(
    crossing, tmp_path, monkeypatch
):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    program = tmp_path / "userprograms" / "orders.py"
    program.parent.mkdir()
    lane = north_south(crossing)[0]
    program.write_text(
        "from autosim.userprogram import *\n"
        "def main(argv):\n"
        f"    lane = get_roads().lanes[{lane}]\n"
        "    order_signal(lane.signal_number, SignalState.GREEN)\n"
        "    while lane.signal != SignalState.GREEN:\n"
        "        wait(0.1)\n"
        "    get_time() < 60 or 1 / 0\n"
        "    wait(60.0)\n"
        "    assert lane.signal == SignalState.GREEN\n"
        "    order_signal(lane.signal_number, SignalState.RED)\n"
        "    while lane.signal != SignalState.RED:\n"
        "        wait(0.1)\n"
        "    wait(1000.0)\n"
    )
    notices = []
    world = signalled_world("userprograms/orders.py")
    with Simulation(world, compiled=crossing, report=notices.append) as simulation:
        group = simulation.systems.signals.plan.lane_groups[lane]
        for _ in range(100 * STEPS):
            simulation.step()
        assert shown(simulation)[group] == SignalState.RED
    assert not [notice for notice in notices if notice.level == "error"]


def test_signals_go_on_from_a_snapshot(crossing):
    world = signalled_world()
    with (
        Simulation(world, compiled=crossing, seed=3) as first,
        Simulation(world, compiled=crossing, seed=4) as second,
    ):
        for _ in range(20 * STEPS):
            first.step()
        second.restore(first.snapshot())
        for _ in range(20 * STEPS):
            first.step()
            second.step()
            assert shown(first) == shown(second)


def test_ctl_sets_and_explains_the_list_of_orders():
    tree = build_tree(signalled_world())
    command = command_of(State(tree), "traffic.signal_orders", (12.0, 3.0, 13.0, 1.0))
    assert np.frombuffer(command.data).tolist() == [12.0, 3.0, 13.0, 1.0]
    assert "3 green" in explain(tree, "traffic.signal_orders").fields[0].meaning
    with pytest.raises(UserError, match="rows of 2 values"):
        command_of(State(tree), "traffic.signal_orders", (12.0,))
    with pytest.raises(UserError, match="row 1 has state 7: expected a whole number from 0 to 5"):
        command_of(State(tree), "traffic.signal_orders", (12.0, 3.0, 13.0, 7.0))
    with pytest.raises(UserError, match=r"row 0 has signal 1\.5: expected"):
        command_of(State(tree), "traffic.signal_orders", (1.5, 3.0))


def test_an_order_is_a_command_like_any_other(crossing):
    with Simulation(signalled_world(), compiled=crossing) as simulation:
        rows = np.array([[0.0, float(SignalState.FLASHING)]])
        simulation.queue([Command("traffic.signal_orders", rows.tobytes())])
        for _ in range(STEPS // 10):
            simulation.step()
        assert shown(simulation) == [SignalState.FLASHING] * 4
