"""Plays the storyboard of an OpenSCENARIO file among the robots and the traffic of a world."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.config.scenarios import PERSON, Scenario, Storyboard
from autosim.errors import UserError
from autosim.model.snapshot import Memory
from autosim.openscenario.engine.engine_memory import EngineMemory
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.scenario_engine import ScenarioEngine
from autosim.openscenario.engine.scenario_placement import UnknownPositionError
from autosim.openscenario.reading.scenario_reader import read_scenario
from autosim.openscenario.records.entity_records import EntityBox
from autosim.openscenario.road_map.road_network import MapPose
from autosim.traffic.pedestrians.pedestrian_bodies import LENGTH, RADIUS
from autosim.traffic.road_users import BOX, B
from autosim.traffic.scenarios.scenario_run import BROKEN, FAILED, MET, OPEN, PASSED, RUNNING
from autosim.traffic.scenarios.storyboard_roads import roads_of
from autosim.traffic.traffic_node import FREE, KIND, NAME, P, ScenarioArrays, V
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, Light
from autosim.traffic.vehicles.vehicle_motion import NOWHERE
from autosim.world.compiled.compiled_world import CompiledWorld

_PERIOD = 0.02
"""Time [s] between two steps of the storyboard; between them actors move evenly."""

_SLOWS = 0.7
"""Deceleration [m/s²] from which brake lights shine: engine drag alone is less."""

_TURNS = 0.02
"""Angle [rad] to the lane from which an indicator flashes: keeping to the lane takes less."""

_JUMP = 6.0
"""Distance [m] in a step of the storyboard from which an actor has been teleported."""

_PRESENT, _X, _Y, _Z, _YAW, _SPEED, _SLOWING, _SIDE, _ROLLED = range(9)
"""Columns of an actor as it is shown."""


def load_engine(storyboard: Storyboard, world: CompiledWorld) -> tuple[ScenarioEngine, Floats]:
    """The engine of a storyboard after its init phase, at 0 s, and the shift (3,) of its map [m].

    Raises:
        UserError: the file or its map cannot be read, or the map lacks a place of the init phase.
    """
    record, _ = read_scenario(storyboard.file, dict(storyboard.values))
    assert record is not None
    roads, shift = roads_of(storyboard, world)
    egos = [entity for entity, _ in storyboard.egos]
    engine = ScenarioEngine(record, roads, external=egos)
    try:
        engine.step(0.0)
    except UnknownPositionError as error:
        raise UserError(
            f"{storyboard.file}: {error}: it needs the map that it was written for"
        ) from error
    return engine, np.array(shift)


def center_of(entity: EntityState, shift: Floats) -> tuple[float, float, float, float]:
    """The middle of an entity's foot, x, y, z [m] in W, and its yaw [rad]."""
    sine, cosine = portable.sin_cos(entity.pose.heading)
    ahead, left, _ = entity.record.box.center
    x = entity.pose.x + cosine * ahead - sine * left
    y = entity.pose.y + sine * ahead + cosine * left
    yaw = float(portable.wrapped(entity.pose.heading))
    return x + float(shift[0]), y + float(shift[1]), entity.pose.z + float(shift[2]), yaw


def start_speeds(storyboard: Storyboard, world: CompiledWorld) -> dict[str, float]:
    """Speeds [m/s] at which the robots of a storyboard begin, by their names."""
    engine, _ = load_engine(storyboard, world)
    return {robot: engine.entities[entity].speed for entity, robot in storyboard.egos}


class StoryboardRun:
    """A storyboard in a world; what it shows is as that of `ScenarioRun`.

    Args:
        scenario: its record.
        storyboard: of it.
        world: the compiled map.
        robots: names of the robots and objects, in the order of their boxes.
        shown: what it writes.
        step_seconds: length of a step of the physics [s].

    Raises:
        UserError: the file or its map cannot be read, or it names a place that is not there.
    """

    def __init__(
        self,
        scenario: Scenario,
        storyboard: Storyboard,
        world: CompiledWorld,
        *,
        robots: Sequence[str],
        shown: ScenarioArrays,
        step_seconds: float,
    ) -> None:
        self.scenario, self._shown, self._seconds = scenario, shown, step_seconds
        self._every = max(1, round(_PERIOD / step_seconds))
        self._engine, self._shift = load_engine(storyboard, world)
        self._egos = {entity: robots.index(robot) for entity, robot in storyboard.egos}
        everybody = (*scenario.vehicles, *scenario.people)
        self._names = [each.name for each in everybody]
        self._first_spare = len(scenario.vehicles) - storyboard.spare
        self._spare = range(self._first_spare, len(scenario.vehicles))
        kinds = [each.kind for each in everybody]
        self._is_person = np.array([each == PERSON for each in kinds], dtype=np.bool_)
        numbers = [KIND_NAMES.index(each) if each in KIND_NAMES else FREE for each in kinds]
        self._numbers: Floats = np.array(numbers, dtype=np.float64)
        self._middles: Floats = np.array([_middle(each) for each in kinds], dtype=np.float64)
        self._events = {f"event {each.name}:": row for row, each in enumerate(scenario.events)}
        self.boxes: Floats = np.zeros((len(everybody), BOX))
        self.motions: Floats = np.zeros((len(everybody), 13))
        self._path: Floats = np.zeros((2, len(everybody), _ROLLED + 1))
        self._status: Floats = np.zeros((1, 2))
        shown.events[:], shown.criteria[:], shown.status[:] = -1, OPEN, RUNNING
        self._memory = EngineMemory(self._engine)
        self._read_events(0)

    @property
    def memories(self) -> tuple[Memory, ...]:
        """State that the storyboard and its actors keep from step to step."""
        rows = self._path.reshape(1, -1)
        name = (f"{NAME}.storyboard",)
        return (
            Memory(f"{KIND} storyboard", name, self._memory.words),
            Memory(f"{KIND} storyboard actors", name, rows),
            Memory(f"{KIND} storyboard status", name, self._status),
        )

    def begin(self, robots: Floats) -> None:
        """Puts the actors where they begin; robots are at boxes (r, 8)."""
        del robots
        self._write_path()
        self._path[0] = self._path[1]
        self._show(1.0)

    def advance(self, step: int, robots: Floats, others: Floats) -> None:
        """Moves the actors on by the step of that number.

        Args:
            step: its number.
            robots: (r, 8) boxes of robots and objects.
            others: (o, 8) boxes of all others in traffic; storyboards do not see them.
        """
        del others
        phase = step % self._every
        if phase == 0:
            self._path[0] = self._path[1]
            if self._shown.status[0] == RUNNING:
                self._step(step, robots)
        self._show((phase + 1) / self._every)

    def show(self) -> None:
        """Continues from the content of `memories`."""
        self._engine = self._memory.load()
        self._show(float(self._status[0, 0]))

    def _step(self, step: int, robots: Floats) -> None:
        engine, dt = self._engine, self._every * self._seconds
        for entity, row in self._egos.items():
            self._observe(entity, robots[row], 0.0 if step == 0 else dt)
        engine.step(dt)
        self._read_events(step)
        self._judge()
        self._write_path()
        self._memory.save(engine)

    def _observe(self, name: str, box: Floats, dt: float) -> None:
        state = self._engine.entities[name]
        if not dt:
            length, width = 2.0 * float(box[B.half_length]), 2.0 * float(box[B.half_width])
            size = EntityBox(state.record.box.center, length, width, state.record.box.height)
            state.record = replace(state.record, box=size)
        yaw = float(box[B.yaw])
        sine, cosine = portable.sin_cos(yaw)
        ahead, left, _ = state.record.box.center
        x, y, z = (box[:3] - self._shift).tolist()
        pose = MapPose(x - cosine * ahead + sine * left, y - sine * ahead - cosine * left, z, yaw)
        velocity = float(box[B.speed_x]), float(box[B.speed_y])
        self._engine.observe(name, pose, velocity, dt)

    def _read_events(self, step: int) -> None:
        """Notes the events that have begun for the first time."""
        first = int(self._status[0, 1])
        log = self._engine.world.events
        for _, text in log[first:]:
            if text.startswith("event ") and "startTransition" in text:
                row = self._events.get(text[: text.rindex(":") + 1])
                if row is not None and self._shown.events[row] < 0:
                    self._shown.events[row] = step
        self._status[0, 1] = len(log)

    def _judge(self) -> None:
        engine, shown = self._engine, self._shown
        hit = {name for _, first, second in engine.collisions for name in (first, second)}
        for number, entity in enumerate(self._egos):
            if entity in hit:
                shown.criteria[number] = BROKEN
        if engine.is_over or engine.world.time >= self.scenario.seconds:
            shown.criteria[shown.criteria == OPEN] = MET
            shown.status[0] = PASSED if (shown.criteria == MET).all() else FAILED

    # ---- what is shown

    def _write_path(self) -> None:
        """Writes where the actors are after the storyboard's step."""
        entities, rows = self._engine.entities, self._path[1]
        before = self._path[0]
        traffic = [each for each in entities.values() if each.is_traffic and each.is_active]
        spare = dict(zip(self._spare, traffic, strict=False))
        for number, name in enumerate(self._names):
            entity = spare.get(number) if number in self._spare else entities.get(name)
            row = rows[number]
            row[_PRESENT] = 0.0
            if entity is None or not entity.is_active or not any(entity.visible):
                continue
            row[_PRESENT] = 1.0
            row[_X], row[_Y], row[_Z], row[_YAW] = center_of(entity, self._shift)
            row[_SPEED], row[_ROLLED] = entity.speed, entity.travelled
            sine, cosine = portable.sin_cos(entity.pose.heading)
            ax, ay = entity.acceleration
            row[_SLOWING] = -(ax * cosine + ay * sine)
            row[_SIDE] = portable.wrapped(entity.relative)
            away = row[_X : _Z + 1] - before[number, _X : _Z + 1]
            if not before[number, _PRESENT] or float(np.abs(away).max()) > _JUMP:
                self._path[0, number] = row
            box = entity.record.box
            half = 0.5 * box.length, 0.5 * box.width
            size = (RADIUS, RADIUS) if self._is_person[number] else half
            self.boxes[number, B.half_length : B.half_width + 1] = size

    def _show(self, share: float) -> None:
        """Shows the actors between the last two steps of the storyboard."""
        self._status[0, 0] = share
        last, following = self._path
        is_there: Booleans = following[:, _PRESENT] > 0.0
        change = following - last
        change[:, _YAW] = portable.wrapped(change[:, _YAW])
        shown = last + share * change
        dt = self._every * self._seconds
        velocity = change[:, _X : _Z + 1] / dt
        self._write_boxes(shown, velocity, is_there)
        self._write_motions(shown, velocity, change[:, _YAW] / dt, is_there)
        self._write_state(shown, is_there)

    def _write_boxes(self, shown: Floats, velocity: Floats, is_there: Booleans) -> None:
        self.boxes[:, B.x : B.yaw + 1] = shown[:, _X : _YAW + 1]
        self.boxes[:, B.speed_x : B.speed_y + 1] = velocity[:, :2]
        self.boxes[~is_there, B.half_length : B.half_width + 1] = 0.0

    def _write_motions(
        self, shown: Floats, velocity: Floats, turning: Floats, is_there: Booleans
    ) -> None:
        self.motions[:] = 0.0
        self.motions[:, 2], self.motions[:, 6] = NOWHERE, 1.0
        sine, cosine = portable.sin_cos(0.5 * shown[:, _YAW])
        placed = np.zeros_like(self.motions)
        placed[:, :3] = shown[:, _X : _Z + 1]
        placed[:, 2] += self._middles
        placed[:, 5], placed[:, 6] = sine, cosine
        placed[:, 7:10], placed[:, 12] = velocity, turning
        self.motions[is_there] = placed[is_there]

    def _write_state(self, shown: Floats, is_there: Booleans) -> None:
        count = len(self.scenario.vehicles)
        rows, out = shown[:count], self._shown.vehicles[:count]
        out[:] = 0.0
        out[:, V.kind] = np.where(is_there[:count], self._numbers[:count], FREE)
        out[:, V.x : V.yaw + 1] = rows[:, _X : _YAW + 1]
        out[:, V.speed], out[:, V.rolled] = rows[:, _SPEED], rows[:, _ROLLED]
        out[:, V.lights], out[:, V.colour] = _lights(rows), np.arange(count)
        rows, out = shown[count:], self._shown.people[: len(shown) - count]
        out[:] = 0.0
        out[:, P.kind] = np.where(is_there[count:], np.arange(len(rows)) % 4, FREE)
        out[:, P.x : P.yaw + 1] = rows[:, _X : _YAW + 1]
        out[:, P.speed], out[:, P.walked] = rows[:, _SPEED], rows[:, _ROLLED]
        out[:, P.colour] = np.arange(len(rows))


def _middle(kind: str) -> float:
    """Height [m] of the middle of an actor's body."""
    if kind not in KIND_NAMES:
        return RADIUS + LENGTH / 2.0
    return FLEET[KIND_NAMES.index(kind)].height / 2.0


def _lights(rows: Floats) -> Floats:
    """The lights of vehicles (n,), as `Light` numbers them."""
    brakes = np.where(rows[:, _SLOWING] > _SLOWS, Light.BRAKE, 0)
    left = np.where(rows[:, _SIDE] > _TURNS, Light.LEFT_INDICATOR, 0)
    right = np.where(rows[:, _SIDE] < -_TURNS, Light.RIGHT_INDICATOR, 0)
    return np.asarray(brakes + left + right, dtype=np.float64)
