"""SUMO in this process: receives robots and signals, and returns the poses of its vehicles."""

from collections.abc import Iterable, Sequence
from math import degrees
from typing import Any, NamedTuple

from lxml import etree

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.demand import VehicleType
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.portable import sin_cos
from autosim.traffic.road_users import B
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.traffic.sumo.lane_map import LaneMap
from autosim.traffic.sumo.libsumo_loader import SumoError, load_sumo
from autosim.traffic.sumo.network_file import (
    build,
    minor_greens,
    network_text,
    waits_of_signals,
)
from autosim.traffic.sumo.signal_programs import signal_letter
from autosim.traffic.sumo.sumo_network import SUMO_CLASSES, controller_name, sumo_network
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, Light, VehicleKind
from autosim.world.compiled.compiled_world import CompiledWorld

_CHANGE = 3.0
"""Time [s] that a lane change takes."""

_SPEED_SPREAD = 0.08
"""Deviation of the share of the limit that drivers drive, as in `pool`."""

_DAWDLE = 0.5
"""Share of their acceleration that drivers lose by dawdling (`sigma`), as SUMO has it where nothing
is stated."""

_BLINKS_RIGHT, _BLINKS_LEFT, _BRAKES = 1, 2, 8
"""Bits of SUMO's signals of a vehicle."""

_ROBOT = "robot"


class SumoPose(NamedTuple):
    """Pose of a vehicle in SUMO.

    `lane` and `station` [m] of its front, `offset` [m] to the left of the lane, `speed` [m/s];
    `lights` as bits of `Light`.
    """

    lane: int
    station: float
    offset: float
    speed: float
    lights: int


_owner: "SumoEngine | None" = None
"""SUMO keeps one simulation in a process: this one's."""


class SumoEngine:
    """SUMO with the network of a world.

    Args:
        world: the compiled world.
        plan: its signals, which are sent to SUMO.
        allowed: (kinds, lanes) where each kind of vehicle may drive.
        interval: [s] of a step of SUMO's.
        seed: of SUMO.
        imperfection: how much drivers differ and vary.
        types: of vehicles, beside the kinds of the fleet.

    Raises:
        SumoError: SUMO is not installed, or does not start.
    """

    def __init__(
        self,
        world: CompiledWorld,
        plan: SignalPlan,
        *,
        allowed: Booleans,
        interval: float,
        seed: int,
        imperfection: float,
        types: Sequence[VehicleType] = (),
    ) -> None:
        self._sumo: Any = load_sumo()
        self.network = network = sumo_network(world.roads, world.driving_side, plan, allowed)
        self._interval, self._seed = interval, seed
        root = build(network, is_exact=True)
        self._text = network_text(root)
        self._waits = waits_of_signals(root)
        self._types = _types_file(imperfection, types)
        self._left = -1.0 if network.side == "left" else 1.0
        self._lanes = LaneMap(network, root)
        self._before = {
            each.connector: network.layout.owners[each.start]
            for each in network.layout.connections
            if each.connector is not None
        }
        self._links = network.links_of_controllers()
        self._edges = {name: edge for edge, names in enumerate(network.edges) for name in names}
        self._shown: dict[int, str] = {}
        self._mirrored: set[int] = set()
        self._serial = 0
        self.restart()

    def restart(self) -> None:
        """Restarts without any vehicle."""
        global _owner
        with ScratchFolder("sumo") as folder:
            network, types = folder / "town.net.xml", folder / "types.add.xml"
            network.write_bytes(self._text)
            types.write_bytes(self._types)
            options = {
                "net-file": network,
                "additional-files": types,
                "step-length": f"{self._interval:.3f}",
                "step-method.ballistic": "true",
                "seed": self._seed,
                "lanechange.duration": _CHANGE,
                "collision.action": "none",
                "time-to-teleport": -1,
                "no-warnings": "true",
                "no-step-log": "true",
            }
            words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
            try:
                if _owner is not None:
                    self._sumo.close()
                _owner = None
                self._sumo.start(["sumo", *words])
            except self._sumo.TraCIException as error:
                raise SumoError(f"SUMO does not start: {error}") from error
        _owner = self
        self._shown.clear()
        self._mirrored.clear()

    def check(self) -> None:
        """Raises SumoError where another world of this process has taken SUMO over."""
        if _owner is not self:
            raise SumoError(
                "another world in this process already uses SUMO, which runs once per process: "
                'run each world with <Traffic engine="sumo"> in its own process'
            )

    def add(
        self,
        place: int,
        kind: int,
        stated: int,
        lane: int,
        station: float,
        speed: float,
        edges: Sequence[int],
    ) -> None:
        """Puts a vehicle onto a lane.

        Args:
            place: of the pool.
            kind: place in `FLEET`.
            stated: place of its type in `types`, -1 for none.
            lane: its lane.
            station: [m] of its front.
            speed: [m/s].
            edges: its way.
        """
        self._serial += 1
        route, vehicle = f"way{self._serial}", _name(place)
        name, position = self._lanes.place(lane, station)
        if lane in self._before:
            # In a junction SUMO needs the edge before it too.
            edges = [self._before[lane], *edges]
        self._sumo.route.add(route, self._names(edges))
        self._sumo.vehicle.add(vehicle, route, typeID=_type_name(kind, stated))
        self._sumo.vehicle.moveTo(vehicle, name, position)
        self._sumo.vehicle.setPreviousSpeed(vehicle, speed)

    def _names(self, way: Sequence[int]) -> list[str]:
        """The edges of SUMO along carriageways."""
        return [name for edge in way for name in self.network.edges[edge]]

    def remove(self, place: int) -> None:
        """Takes a vehicle out."""
        self._sumo.vehicle.remove(_name(place))

    def edge_of(self, place: int) -> int:
        """The edge that a vehicle is on, in a junction that from which it comes."""
        vehicle, name = self._sumo.vehicle, _name(place)
        return self._edges[vehicle.getRoute(name)[max(vehicle.getRouteIndex(name), 0)]]

    def drive(self, place: int, way: Sequence[int]) -> bool:
        """Gives a vehicle a new way, from where it is on; whether it can take that."""
        here = self.edge_of(place)
        edges = way if way[0] == here else [here, *way]
        try:
            names = self._names(edges)
            # On the second half of a street that leads back, the way begins there.
            position = max(self._sumo.vehicle.getRouteIndex(_name(place)), 0)
            current = self._sumo.vehicle.getRoute(_name(place))[position]
            self._sumo.vehicle.setRoute(_name(place), names[names.index(current) :])
        except self._sumo.TraCIException:
            return False
        return True

    def limit(self, place: int, speed: float) -> None:
        """Bounds the speed [m/s] of a vehicle; negative: no more."""
        self._sumo.vehicle.setSpeed(_name(place), speed)

    def change_lane(self, place: int, to_left: bool) -> None:
        """Makes a vehicle change to an adjacent lane."""
        step = 1 if to_left == (self._left > 0.0) else -1
        self._sumo.vehicle.changeLaneRelative(_name(place), step, 2.0 * self._interval)

    def send_signals(self, shown: Integers) -> None:
        """Shows the signals (s,), numbers of `SignalState`."""
        for number, links in self._links.items():
            state = "".join(signal_letter(int(shown[link.group])) for link in links)
            if self._shown.get(number) != state:
                name = controller_name(number)
                state_there = minor_greens(state, self._waits.get(name, {}))
                self._sumo.trafficlight.setRedYellowGreenState(name, state_there)
                self._shown[number] = state

    def send_robots(self, robots: Floats, lanes: Integers) -> None:
        """Sends the robots (r, 8), see `Surroundings`, to SUMO: on `lanes` (r,); -1: on none."""
        for number, (robot, lane) in enumerate(zip(robots, lanes.tolist(), strict=True)):
            if lane < 0:
                if number in self._mirrored:
                    self._sumo.vehicle.remove(f"{_ROBOT}{number}")
                    self._mirrored.discard(number)
                continue
            self._mirror(number, robot, lane)

    def _mirror(self, number: int, robot: Floats, lane: int) -> None:
        vehicle, name = self._sumo.vehicle, f"{_ROBOT}{number}"
        if number not in self._mirrored:
            edge = self.network.edges[self.network.edge_near(lane)][0]
            if edge not in self._sumo.route.getIDList():
                self._sumo.route.add(edge, [edge])
            vehicle.add(name, edge, typeID=_ROBOT)
            vehicle.setLength(name, 2.0 * robot[B.half_length])
            vehicle.setWidth(name, 2.0 * robot[B.half_width])
            self._mirrored.add(number)
        s, c = sin_cos(robot[B.yaw])
        reach = robot[B.half_length]
        vehicle.moveToXY(
            *(name, "", -1, robot[B.x] + c * reach, robot[B.y] + s * reach),
            angle=90.0 - degrees(robot[B.yaw]),
            keepRoute=2,
        )

    def step(self) -> None:
        """A step of SUMO."""
        self._sumo.simulationStep()

    def vehicles(self, places: Iterable[int]) -> dict[int, SumoPose]:
        """Poses of those of the vehicles at these slots that have not arrived."""
        vehicle, there = self._sumo.vehicle, set(self._sumo.vehicle.getIDList())
        found = {}
        for place in places:
            name = _name(place)
            if name in there and (at := self._lanes.stretch(vehicle.getLaneID(name))):
                found[place] = SumoPose(
                    at.lane,
                    vehicle.getLanePosition(name) * at.scale + at.shift,
                    self._left * vehicle.getLateralLanePosition(name),
                    vehicle.getSpeed(name),
                    _lights(vehicle.getSignals(name)),
                )
        return found


def _name(place: int) -> str:
    return f"vehicle{place}"


def _lights(signals: int) -> int:
    lights = Light.LEFT_INDICATOR if signals & _BLINKS_LEFT else Light(0)
    if signals & _BLINKS_RIGHT:
        lights |= Light.RIGHT_INDICATOR
    if signals & _BRAKES:
        lights |= Light.BRAKE
    return int(lights)


def _type_name(kind: int, stated: int) -> str:
    return f"stated{stated}" if stated >= 0 else FLEET[kind].name


def _types_file(imperfection: float, types: Sequence[VehicleType]) -> bytes:
    """The kinds of vehicles as types of SUMO, those that a file states, and one for robots."""
    root = etree.Element("additional")
    for kind in FLEET:
        etree.SubElement(root, "vType", _type_of(kind, imperfection))
    for place, each in enumerate(types):
        kind = FLEET[KIND_NAMES.index(each.kind)]
        own = {"id": _type_name(-1, place), "vClass": SUMO_CLASSES[kind.name]}
        # Bodies have the size of their kind: so has what SUMO takes them for.
        size = {"length": f"{kind.length}", "width": f"{kind.width}"}
        stated = dict(each.attributes) or _type_of(kind, imperfection)
        etree.SubElement(root, "vType", stated | own | size)
    etree.SubElement(root, "vType", {"id": _ROBOT, "vClass": "ignoring", "minGap": "0"})
    return etree.tostring(root)


def _type_of(kind: VehicleKind, imperfection: float) -> dict[str, str]:
    driving = kind.driving
    spread = _SPEED_SPREAD * imperfection
    return {
        "id": kind.name,
        "vClass": SUMO_CLASSES[kind.name],
        "length": f"{kind.length}",
        "width": f"{kind.width}",
        "height": f"{kind.height}",
        "minGap": f"{driving.least_gap}",
        "accel": f"{driving.acceleration}",
        "decel": f"{driving.deceleration}",
        "emergencyDecel": "8",
        "tau": f"{driving.time_gap}",
        "maxSpeed": f"{driving.top_speed}",
        "sigma": f"{min(_DAWDLE * imperfection, 1.0)}",
        "speedFactor": f"normc(1,{spread},0.7,1.3)",
    }
