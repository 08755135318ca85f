"""The cyclists of a world who ride off the carriageways, as the step of traffic moves them."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled
from autosim.model.snapshot import Memory
from autosim.portable import sin_cos
from autosim.traffic.cyclists.rider_collisions import (
    PEOPLE,
    RIDERS,
    VEHICLES,
    count_collisions_of_riders,
)
from autosim.traffic.cyclists.rider_model import RiderContext, decide_riders
from autosim.traffic.cyclists.rider_motion import move_riders
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH, HALF_WIDTH, RiderRow
from autosim.traffic.cyclists.rider_spawning import place_riders
from autosim.traffic.pedestrians.destinations import find_destinations
from autosim.traffic.pedestrians.pedestrian_rows import Network
from autosim.traffic.pedestrians.pedestrian_traffic import DECISIONS
from autosim.traffic.road_users import B, RoadUsers, W
from autosim.traffic.traffic_node import FREE, KIND, NAME, V
from autosim.traffic.typed_rows import Rows, make_rows, memory_of
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass
from autosim.traffic.vehicles.spawning import SPAWN_VISIBILITY
from autosim.traffic.vehicles.vehicle_motion import NOWHERE
from autosim.traffic.ways.crossing_ways import CrossingWays
from autosim.traffic.ways.network_builder import WalkableWorld, crossing_positions
from autosim.traffic.ways.network_cache import cached_ride_network
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind, network_of_lines

_LEAST = 300.0
"""Shortest total length [m] of ways with cyclists: on less they would only go to and fro."""

_METRES_EACH = 40.0
"""Length [m] of ways for each cyclist at least."""

_SHARE = 0.67
"""Share of the bicycles that ride off the carriageways where there are enough ways: chosen, so that
some are on the streets, too."""

_BICYCLES = [k for k, kind in enumerate(FLEET) if kind.vehicle_class is VehicleClass.BICYCLE]
_HEIGHT = FLEET[_BICYCLES[0]].height


class CyclistCollisions(NamedTuple):
    """Counts of the touches of cyclists with each other, with people on foot, with vehicles."""

    riders: int
    """Contacts between two cyclists."""
    people: int
    vehicles: int


class Cyclists:
    """Bicycles of the pool of vehicles that ride on a network of ways.

    Args:
        network: the ways.
        kinds: (V,) of the places of the pool.
        seed: of all that is random.
        step_seconds: length of a step [s].
        crossings: (z, 3) [m] the places of crossings on lanes, see `crossing_ways`.
        keeps_right: the side to which they keep.

    `places` (n,): those of the pool that they have. `rows` (n,): the records of all.
    `walkers` (n, 6): how those who look for people see them, see `RoadUsers`.
    """

    def __init__(
        self,
        network: WalkNetwork,
        kinds: Integers,
        *,
        seed: int,
        step_seconds: float,
        crossings: Floats,
        keeps_right: bool,
    ) -> None:
        self._network = Network.of(network, find_destinations(network, seed))
        leads = self._network.goal_counts[network.ends[:, 0]] > 1
        is_way = leads & (network.kinds == WayKind.PAVEMENT) & (network.lengths > 2.0)
        self._ways = np.flatnonzero(is_way)
        metres = float(network.lengths[self._ways].sum())
        own = np.flatnonzero(np.isin(kinds, _BICYCLES))
        most = min(int(np.ceil(_SHARE * len(own))), int(metres / _METRES_EACH))
        self.places: Integers = own[: most if metres >= _LEAST else 0]
        self._kinds = kinds[self.places]
        self._period = max(1, round(1.0 / (DECISIONS * step_seconds)))
        self._seed, self._step = seed, step_seconds
        self.crossing_ways = CrossingWays(network, crossings)
        self._touches: Floats = np.zeros((1, 3))
        self.rows = make_rows(RiderRow, len(self.places))
        self._riders = RiderContext.of(
            self.rows,
            self._network,
            self.crossing_ways,
            seed=seed,
            seconds=self._period * step_seconds,
            side=1.0 if keeps_right else -1.0,
        )

    @classmethod
    def of(
        cls, site: WalkableWorld, kinds: Integers, *, seed: int, step_seconds: float
    ) -> "Cyclists":
        """The cyclists of a world; its crossings are the rows of `Traffic`."""
        has_any = bool(np.isin(kinds, _BICYCLES).any()) and len(site.world.paths.widths) > 0
        none = network_of_lines((), np.zeros((0, 3)))
        return cls(
            cached_ride_network(site) if has_any else none,
            kinds,
            seed=seed,
            step_seconds=step_seconds,
            crossings=crossing_positions(site.world),
            keeps_right=site.world.driving_side == "right",
        )

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Content of a snapshot in addition to the state."""
        if not len(self.rows):
            return ()
        names = tuple(f"{NAME}.cyclist{k}" for k in range(len(self.rows)))
        return (
            memory_of(f"{KIND} cyclists", names, self.rows),
            Memory(f"{KIND} touches of cyclists", (f"{NAME}.cyclists",), self._touches),
        )

    @property
    def touches(self) -> CyclistCollisions:
        """Number of times that cyclists and others have begun to touch, without those who fall."""
        counts = self._touches[0].astype(np.int64)
        return CyclistCollisions(int(counts[RIDERS]), int(counts[PEOPLE]), int(counts[VEHICLES]))

    def active(self) -> int:
        """Number of cyclists under way."""
        return int(self.rows["about"].sum())

    def begin(self) -> None:
        """Places all cyclists on the ways; without room, some stay inactive."""
        if len(self.rows):
            ends = np.cumsum(self._network.lengths[self._ways])
            place_riders(self.rows, self._network, self._ways, ends, self._seed)

    def keep(self, wanted: float, robots: Floats) -> None:
        """Removes and spawns cyclists until a share of them is active, out of sight of robots.

        Args:
            wanted: the share (0..1).
            robots: (r, 8) boxes, see `RoadUsers`.
        """
        most, about = int(np.ceil(wanted * len(self.rows))), self.active()
        if about == most:
            return
        near = robots[robots[:, B.half_length] > 0.0]
        for row in self.rows:
            is_about = row.about
            if about == most or is_about != (about > most):
                continue
            gaps = near[:, :2] - (row.x, row.y)
            if ((gaps * gaps).sum(axis=1) > SPAWN_VISIBILITY * SPAWN_VISIBILITY).all():
                row.about, row.speed = not is_about, 0.0
                about += -1 if is_about else 1

    def advance(self, step: int, around: RoadUsers) -> None:
        """Moves them for the step with the number `step`.

        Args:
            step: counts from the start of the simulation.
            around: whom they meet; cyclists themselves are not among the vehicles or the people.
        """
        if not len(self.rows):
            return
        if step % self._period == 0:
            decide_riders(self._riders, around)
            count_collisions_of_riders(self.rows, around.people, around.vehicles, self._touches[0])
        move_riders(*(self.rows, around.people, around.vehicles, around.robots), self._step)

    def show(self, shown: Floats, motions: Floats, boxes: Floats, walkers: Floats) -> None:
        """Writes where they are.

        Args:
            shown: (V, 12) of the state.
            motions: (V, 13) of the bodies.
            boxes: (V, 8) as others see them, see `RoadUsers`.
            walkers: (n, 6) as drivers see them, who brake for them as for people.
        """
        if len(self.rows):
            arguments = (self.rows, self.places, self._kinds, shown, motions, boxes, walkers)
            show_riders(*arguments, _HEIGHT)


@compiled
def show_riders(
    rows: Rows[RiderRow],
    places: Integers,
    kinds: Integers,
    shown: Floats,
    motions: Floats,
    boxes: Floats,
    walkers: Floats,
    height: float,
) -> None:
    """Writes where cyclists are; see `Cyclists.show`."""
    for i in range(len(rows)):
        row, place, walker = rows[i], places[i], walkers[i]
        vehicle, motion, box = shown[place], motions[place], boxes[place]
        vehicle[:], motion[:], box[:], walker[:] = 0.0, 0.0, 0.0, 0.0
        vehicle[V.kind], motion[2], motion[6] = FREE, NOWHERE, 1.0
        if not row.about:
            continue
        vehicle[V.kind] = kinds[i]
        vehicle[V.x], vehicle[V.y], vehicle[V.z] = row.x, row.y, row.z
        vehicle[V.yaw], vehicle[V.pitch] = row.yaw, row.pitch
        vehicle[V.speed], vehicle[V.rolled] = row.speed, row.rolled
        vehicle[V.steering], vehicle[V.colour] = row.turn, row.colour
        box[B.x], box[B.y], box[B.z], box[B.yaw] = row.x, row.y, row.z, row.yaw
        box[B.half_length], box[B.half_width] = HALF_LENGTH, HALF_WIDTH
        box[B.speed_x], box[B.speed_y] = row.speed_x, row.speed_y
        walker[W.x], walker[W.y], walker[W.z] = row.x, row.y, row.z
        walker[W.speed_x], walker[W.speed_y] = row.speed_x, row.speed_y
        walker[W.radius] = row.radius
        s, c = sin_cos(0.5 * row.yaw)
        p, q = sin_cos(0.5 * row.pitch)
        motion[0], motion[1], motion[2] = row.x, row.y, row.z + 0.5 * height
        motion[3], motion[4], motion[5], motion[6] = -s * p, c * p, s * q, c * q
        motion[7], motion[8] = row.speed_x, row.speed_y
