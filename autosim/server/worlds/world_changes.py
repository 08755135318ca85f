"""Descriptions of a world that has changed since its file was read."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import (
    PlacedObject,
    PlacedRobot,
    RobotDescription,
    WorldDescription,
)
from autosim.config.files.lookup import find_file, locate
from autosim.config.files.program_files import find_program, program_name
from autosim.loading.loader import load_robot
from autosim.loading.world_writer import rewritten
from autosim.model.snapshot import Snapshot
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree
from autosim.orders.programs import ProgramReport
from autosim.orders.robot_orders import AddRobot
from autosim.server.server_errors import WorldError

_NAME = re.compile(r"[\w-]{1,64}")


def as_it_stands(
    world: WorldDescription,
    tree: SimulationTree,
    *,
    snapshot: Snapshot,
    programs: Sequence[ProgramReport],
) -> WorldDescription:
    """`world` with its robots where they are in `snapshot`, upright, and their present programs."""
    state = State(tree)
    snapshot.restore(state)
    own = {each.robot: each for each in programs if each.side == "server"}
    robots = (_standing(robot, state) for robot in world.robots)
    return replace(
        world,
        robots=tuple(_driven(each, own.get(each.name)) for each in robots),
        objects=tuple(_lying(each, state) for each in world.objects),
    )


def with_robot(world: WorldDescription, added: AddRobot) -> WorldDescription:
    """`world` with one robot more, the last.

    Its `files` are those of a newly written world file, which the server offers;
    a client that has the file as it was is refused.

    Raises:
        UserError: a file is not there or has faults, or the name cannot be taken.
    """
    if not _NAME.fullmatch(added.name):
        raise WorldError(
            f"'{added.name}' is not a valid name: use letters, digits, '_' and '-' (at most 64)"
        )
    if any(robot.name == added.name for robot in world.robots):
        raise WorldError(f"there is already a robot '{added.name}'")
    if any(thing.name == added.name for thing in world.objects):
        raise WorldError(f"there is already an object '{added.name}'")
    roots = locate(world.source)[1]
    file = find_file(added.file, roots)
    described = load_robot(file, roots=roots)
    text = _text_of_new(world, file)
    if added.program:
        find_program(added.program, roots)
    robots = (*world.robots, _placed(described, added))
    return _with_text(replace(world, robots=robots), file, text)


def with_robot_again(world: WorldDescription, removed: PlacedRobot, place: int) -> WorldDescription:
    """`world` with a robot that was removed, at that `place` among the others.

    Raises:
        UserError: its name is taken, or its file is no longer there.
        OSError: its file cannot be read.
    """
    names = [*(each.name for each in world.robots), *(each.name for each in world.objects)]
    if removed.name in names:
        raise WorldError(f"there is already a robot or an object '{removed.name}'")
    robots = (*world.robots[:place], removed, *world.robots[place:])
    file = removed.robot.source
    return _with_text(replace(world, robots=robots), file, _text_of_new(world, file))


class RunningProgram(Protocol):
    """A user program, as the server or a client lists it."""

    @property
    def robot(self) -> str:
        """The robot's name."""

    @property
    def file(self) -> str:
        """Its file, as the world file names it."""

    @property
    def side(self) -> str:
        """The host on which it runs: "server", "client" or "elsewhere"."""


def discarded_by_reset(
    loaded: WorldDescription, present: WorldDescription, programs: Sequence[RunningProgram]
) -> tuple[str, ...]:
    """Losses by a reset, a sentence each.

    Args:
        loaded: the world as it was loaded.
        present: the same with the robots that it has now.
        programs: those that it has now.
    """
    before = {robot.name: robot for robot in loaded.robots}
    now = {robot.name for robot in present.robots}
    own = [each for each in programs if each.side == "server"]
    texts = [f"the robot '{name}', which was added" for name in now - before.keys()]
    texts += [f"the removal of the robot '{name}'" for name in before.keys() - now]
    texts += [
        f"the program '{each.file}' of '{each.robot}', which was attached"
        for each in own
        if each.robot in before and each.file != before[each.robot].program
    ]
    return tuple(sorted(texts))


def _with_text(world: WorldDescription, file: Path, text: bytes) -> WorldDescription:
    """`world` with what a file of it holds, rewritten."""
    return rewritten(replace(world, texts=tuple({**dict(world.texts), file: text}.items())))


def without_robot(world: WorldDescription, name: str) -> WorldDescription:
    """`world` without one of its robots; its `files` as those of `with_robot`.

    Raises:
        UserError: there is no such robot, or a file of the world is no longer there.
    """
    robots = tuple(robot for robot in world.robots if robot.name != name)
    if len(robots) == len(world.robots):
        raise WorldError(f"there is no robot '{name}'")
    return rewritten(replace(world, robots=robots))


def _text_of_new(world: WorldDescription, file: Path) -> bytes:
    """The content of a robot's file, which may be one of the world's own.

    Raises:
        WorldError: it is, but not as the world read it: one name cannot stand for both.
        OSError: it cannot be read.
    """
    text = file.read_bytes()
    if world.text_of(file) not in (None, text):
        raise WorldError(
            f"'{file.name}' has changed since it was read for the robots that are there: load the "
            "world again, or give the new robot's file another name"
        )
    return text


def _placed(described: RobotDescription, added: AddRobot) -> PlacedRobot:
    is_placed = added.position is not None
    return PlacedRobot(
        added.name,
        described,
        position=(*added.position, None) if added.position is not None else None,
        yaw=added.yaw if is_placed else None,
        program=program_name(added.program) if added.program else None,
        program_arguments=added.arguments,
    )


def _driven(robot: PlacedRobot, program: ProgramReport | None) -> PlacedRobot:
    if program is None:
        return robot
    return replace(
        robot,
        program=program.file,
        program_arguments=program.arguments,
        program_side="server",
    )


def _standing(robot: PlacedRobot, state: State) -> PlacedRobot:
    node = state.tree.find(robot.name)
    assert node is not None
    part = robot.robot.parts[0]
    box = state.tree.find(f"{robot.name}.{part.name}")
    assert box is not None
    first = box.field_offset("position") // WORD
    place, turn = state.floats[first : first + 3], state.floats[first + 3 : first + 7]
    rotation = _rotation(turn)
    origin = place - portable.dot(rotation, np.array(part.position))
    yaw = float(portable.arctan2(rotation[1, 0], rotation[0, 0]))
    x, y, z = (float(value) for value in origin)
    return replace(robot, position=(x, y, z), yaw=yaw)


def _lying(thing: PlacedObject, state: State) -> PlacedObject:
    node = state.tree.find(thing.name)
    assert node is not None
    first = node.field_offset("position") // WORD
    rotation = _rotation(state.floats[first + 3 : first + 7])
    x, y, z = state.floats[first : first + 3].tolist()
    yaw = float(portable.arctan2(rotation[1, 0], rotation[0, 0]))
    return replace(thing, position=(x, y, z), yaw=yaw)


def _rotation(quaternion: Floats) -> Floats:
    """R (3, 3) of a unit quaternion (x, y, z, w)."""
    x, y, z, w = (float(value) for value in quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
