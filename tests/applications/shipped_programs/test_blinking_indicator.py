"""The shipped program that lets indicators blink."""

from dataclasses import replace

import pytest

from autosim.engine.step.simulation import Simulation
from autosim.model.commands import command_for
from autosim.model.notices import Notice
from tests.worlds import flat_world, impreza_world

SIDES = ("left", "right")
STEPS = 24


@pytest.mark.parametrize(("steering", "side"), [(0.4, "left"), (-0.4, "right"), (0.0, "")])
def test_the_indicators_of_the_side_to_which_it_turns_blink(steering: float, side: str):
    world = impreza_world(1, position=(0.0, 0.0, None), yaw=0.0)
    robot = replace(world.robots[0], program="userprograms/blinking_indicator.py")
    said: list[Notice] = []
    with Simulation(
        replace(world, robots=(robot,)), compiled=flat_world(), report=said.append
    ) as simulation:
        tree, floats = simulation.tree, simulation.state.floats
        drive = "impreza.chassis.drive_chassis"
        lit: dict[str, list[float]] = {each: [] for each in SIDES}
        for step in range(240 * 4):
            simulation.queue([command_for(tree, drive, [steering, 0.3, 0.0])])
            simulation.step()
            if step % STEPS == 0 and step > 240:
                for each in SIDES:
                    lights = [
                        tree.find(f"impreza.chassis.indicator_{each}_{end}")
                        for end in ("front", "rear")
                    ]
                    values = {float(floats[node.start // 8]) for node in lights if node}
                    assert len(values) == 1  # both lights of a side go together
                    lit[each] += values
    assert not [notice for notice in said if notice.level == "error"]
    for each in SIDES:
        assert set(lit[each]) == ({0.0, 1.0} if each == side else {0.0})
        changes = sum(a != b for a, b in zip(lit[each], lit[each][1:], strict=False))
        assert changes >= 8 if each == side else changes == 0
