"""Programs are stopped, started again and attached while the simulation goes on."""

import errno
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import ProgramLimits
from autosim.engine.programs.program_manager import ProgramOrderError
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import DeviceState, command_for
from autosim.model.program_status import ProgramStatus
from autosim.model.snapshot import Snapshot
from autosim.model.tree import FieldType
from tests.worlds import flat_world, impreza_world

PUSHES = """
from autosim.userprogram import set_data, wait

def main(argv):
    while True:
        set_data(f"{{argv[0]}}.chassis.drive_chassis", [0.0, {push}, 0.0])
        wait(0.05)
"""
FAILS = "def main(argv):\n    raise RuntimeError('no')\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    programs = tmp_path / "userprograms"
    programs.mkdir()
    (programs / "drives.py").write_text(PUSHES.format(push=0.25))
    (programs / "fails.py").write_text(FAILS)
    return programs


@pytest.fixture
def simulate(folder):
    made = []

    def simulate(program="drives.py", *, robots=1, limits=None, **options):
        world = impreza_world(robots, program=program)
        beside = tuple(replace(each, position=(0.0, 0.0, None)) for each in world.robots[1:])
        world = replace(world, robots=(world.robots[0], *beside))
        if limits is not None:
            placed = tuple(replace(each, program_limits=limits) for each in world.robots)
            world = replace(world, robots=placed)
        notices = []
        simulation = Simulation(world, compiled=flat_world(), report=notices.append, **options)
        made.append(simulation)
        simulation.notices = notices
        return simulation

    yield simulate
    for each in made:
        each.close()


def steps(simulation, count):
    for _ in range(count):
        simulation.step()


def drive_of(simulation, robot=0):
    name = f"{simulation.tree.children[robot].name}.chassis.drive_chassis"
    first = simulation.tree.find(name).start // 8
    return simulation.state.floats[first : first + 3].tolist()


def states(simulation):
    return [each.state for each in simulation.programs.reports()]


def name_of(simulation, robot=0):
    return simulation.tree.children[robot].name


def test_a_stopped_program_leaves_a_robot_that_brakes_and_is_not_blamed(simulate):
    simulation = simulate()
    assert states(simulation) == [ProgramStatus.WAITING]
    steps(simulation, 20)
    assert states(simulation) == [ProgramStatus.RUNNING]
    assert drive_of(simulation) == [0.0, 0.25, 0.0]
    simulation.programs.stop(name_of(simulation))
    simulation.attend()
    assert states(simulation) == [ProgramStatus.STOPPED]
    assert drive_of(simulation) == [0.0, 0.0, 1.0]
    assert [each.level for each in simulation.notices] == ["info"]
    steps(simulation, 20)
    assert drive_of(simulation) == [0.0, 0.0, 1.0]
    with pytest.raises(ProgramOrderError, match="no program runs"):
        simulation.programs.stop(name_of(simulation))


def test_started_again_it_is_what_its_file_says_now(simulate, folder):
    simulation = simulate()
    steps(simulation, 20)
    (folder / "drives.py").write_text(PUSHES.format(push=0.75))
    simulation.programs.restart(name_of(simulation))
    steps(simulation, 15)
    assert drive_of(simulation) == [0.0, 0.75, 0.0]
    (report,) = simulation.programs.reports()
    assert (report.state, report.restarts) == (ProgramStatus.RUNNING, 1)
    assert report.turns.count > 0
    assert report.turns.longest >= report.turns.mean > 0.0


def test_a_world_may_begin_without_its_programs_and_they_are_started_one_by_one(simulate):
    simulation = simulate(robots=2, idle=["impreza", "impreza1"])
    steps(simulation, 5)
    assert states(simulation) == [ProgramStatus.STOPPED] * 2
    assert drive_of(simulation, 1) == [0.0, 0.0, 1.0]
    simulation.programs.restart(name_of(simulation, 1))
    steps(simulation, 15)
    assert states(simulation) == [ProgramStatus.STOPPED, ProgramStatus.RUNNING]
    assert drive_of(simulation, 1) == [0.0, 0.25, 0.0]
    assert drive_of(simulation, 0) == [0.0, 0.0, 1.0]


def test_a_robot_without_a_program_is_given_one(simulate):
    simulation = simulate(None)
    steps(simulation, 5)
    robot = name_of(simulation)
    with pytest.raises(ProgramOrderError, match="has no program: attach one"):
        simulation.programs.restart(robot)
    with pytest.raises(ProgramOrderError, match=r"no user program 'missing\.py'"):
        simulation.programs.attach(robot, "missing.py")
    with pytest.raises(ProgramOrderError, match="leads upwards"):
        simulation.programs.attach(robot, "../drives.py")
    with pytest.raises(ProgramOrderError, match="no robot 'nobody'"):
        simulation.programs.attach("nobody", "drives.py")
    simulation.programs.attach(robot, "drives.py", ["a", "b"])
    steps(simulation, 15)
    assert drive_of(simulation) == [0.0, 0.25, 0.0]
    assert simulation.programs.reports()[0].arguments == ("a", "b")
    with pytest.raises(ProgramOrderError, match="stop it first"):
        simulation.programs.attach(robot, "drives.py")


def test_three_failures_disable_a_program_until_somebody_starts_it(simulate, folder):
    simulation = simulate("fails.py", limits=ProgramLimits(is_restarted=True))
    steps(simulation, 5)
    assert states(simulation) == [ProgramStatus.WAITING]
    steps(simulation, 240 * 4)
    (report,) = simulation.programs.reports()
    assert report.state is ProgramStatus.DISABLED
    assert "RuntimeError" in report.exit_reason
    (folder / "fails.py").write_text(PUSHES.format(push=0.5))
    simulation.programs.restart(name_of(simulation))
    steps(simulation, 15)
    assert states(simulation) == [ProgramStatus.RUNNING]
    assert drive_of(simulation) == [0.0, 0.5, 0.0]


def test_a_system_that_starts_no_more_programs_is_named_with_its_limit(simulate, monkeypatch):
    simulation = simulate()

    def refuse(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(
        "autosim.engine.programs.thread_participants.ThreadParticipants.launch", refuse
    )
    steps(simulation, 2)
    (report,) = simulation.programs.reports()
    assert report.state is ProgramStatus.FAILED
    assert "Too many open files: this process may have" in report.exit_reason
    assert "(ulimit -n)" in report.exit_reason
    assert simulation.state.ints[simulation.tree.children[0].start // 8] == DeviceState.BLOCKED


def test_another_simulation_goes_on_where_one_stands(simulate):
    first = simulate()
    steps(first, 480)
    snapshot = Snapshot.of(first.state)
    again = [simulate(robots=2), simulate(robots=2)]
    for each in again:
        each.restore(snapshot)
        assert (each.state.step, each.state.time) == (first.state.step, first.state.time)
        np.testing.assert_allclose(pose_of(each), pose_of(first), atol=1e-12)
        assert drive_of(each, 1) == [0.0, 0.0, 1.0]
    for each in again:
        steps(each, 120)
    assert again[0].state.to_bitstream() == again[1].state.to_bitstream()
    assert np.linalg.norm(pose_of(again[0])[7:10]) > 2.0


def test_tyres_filters_and_zeros_go_over_so_that_a_robot_does_not_notice_another_one(simulate):
    first = simulate(None)
    drive = command_for(first.tree, f"{name_of(first)}.chassis.drive_chassis", [0.3, 0.8, 0.0])
    first.queue([drive])
    steps(first, 480)
    again = simulate(None, robots=2)
    again.restore(first.snapshot())
    for _ in range(240):
        steps(first, 1)
        steps(again, 1)
        np.testing.assert_allclose(measured(again), measured(first), rtol=0.0, atol=1e-9)
    assert np.abs(measured(first)).max() > 5.0


def test_who_touches_somebody_still_does_after_another_robot_was_added(simulate):
    first = simulate(None, robots=3)  # the last two are put into each other
    steps(first, 5)
    count = first.tree.children[1].start // 8 + 1
    assert first.state.ints[count] == 1
    again = simulate(None, robots=3)
    again.restore(first.snapshot())
    steps(first, 20)
    steps(again, 20)
    assert again.state.ints[count] == first.state.ints[count]


def measured(simulation):
    """All numbers of the first robot that are measured."""
    values = [
        np.ravel(simulation.state.value(node, field))
        for node in simulation.tree.children[0].walk()
        for field in node.fields
        if field.type is FieldType.FLOAT
    ]
    return np.hstack(values)


def test_a_robot_with_other_devices_is_not_taken_over(simulate):
    first = simulate(None)
    steps(first, 10)
    (robot,) = Snapshot.of(first.state).robots
    strange = Snapshot(10, 41_666_667, (replace(robot, layout="other"),))
    other = simulate(None)
    before = pose_of(other)
    other.restore(strange)
    assert other.state.step == 10
    np.testing.assert_allclose(pose_of(other), before, atol=1e-9)


def pose_of(simulation):
    """Position, orientation, velocity, angular velocity of the first robot's chassis."""
    name = simulation.tree.children[0].name
    first = simulation.tree.find(f"{name}.chassis").field_offset("position") // 8
    return simulation.state.floats[first : first + 13].copy()
