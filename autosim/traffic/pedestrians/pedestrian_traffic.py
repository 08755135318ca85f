"""All people on foot of a world, as the step of traffic moves them."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import bind_leading_arguments
from autosim.model.snapshot import Memory
from autosim.traffic.pedestrians.cell_lists import CellList, Posts
from autosim.traffic.pedestrians.destinations import find_destinations
from autosim.traffic.pedestrians.pedestrian_bodies import place_bodies
from autosim.traffic.pedestrians.pedestrian_motion import (
    PedestrianContext,
    decide_walking,
    move_pedestrians,
    publish_pedestrians,
)
from autosim.traffic.pedestrians.pedestrian_rows import Network, PedestrianRow
from autosim.traffic.pedestrians.pedestrian_spawning import SpawnPlaces, spawn_pedestrians
from autosim.traffic.pedestrians.post_obstacles import posts_of
from autosim.traffic.pedestrians.vehicle_avoidance import NEAR
from autosim.traffic.road_users import BOX, WALKER, B, RoadUsers
from autosim.traffic.traffic_node import FREE, PERSON, P
from autosim.traffic.typed_rows import make_rows, memory_of
from autosim.traffic.vehicles.spawning import SPAWN_VISIBILITY
from autosim.traffic.ways.crossing_ways import CrossingWays
from autosim.traffic.ways.network_builder import WalkableWorld, crossing_positions
from autosim.traffic.ways.network_cache import cached_walk_network
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind, network_of_lines

DECISIONS = 20.0
"""Rate [1/s] of decisions: people react in half a second, and in a twentieth of a second those who
keep their distance do not touch."""

NO_ROBOTS: Floats = np.zeros((0, BOX))
"""No robots: initial positions may be anywhere."""


class Pedestrians:
    """The people of one world.

    `rows` (n,) are the records of all, in addition to the state; `motions` (n, 13) those of their
    bodies, and `boxes` (n, 8) squares about them, see `RoadUsers`.

    Args:
        network: the ways that they walk.
        count: how many there are.
        seed: of all that is random.
        step_seconds: length of a step [s].
        posts: (p, 3) x, y, radius [m] of what stands on pavements.
        density: how many there are per kilometre of pavement; `count` at most.
        crossings: (z, 3) [m] the places of crossings on lanes, see `crossing_ways`.
        keeps_right: the side to which people keep.
    """

    def __init__(
        self,
        network: WalkNetwork,
        *,
        count: int,
        seed: int,
        step_seconds: float,
        posts: Floats | None = None,
        density: float | None = None,
        crossings: Floats | None = None,
        keeps_right: bool = True,
    ) -> None:
        self.network = Network.of(network, find_destinations(network, seed))
        self._seed, self._step, self._density = seed, step_seconds, density
        self._period = max(1, round(1.0 / (DECISIONS * step_seconds)))
        none: Floats = np.zeros((0, 3))
        stems = Posts.of(none if posts is None else posts)
        self._fallen = np.zeros((1, 2))
        ways = self._pavements()
        ends = np.cumsum(network.lengths[ways])
        self._places = SpawnPlaces(self.network, ways, ends, stems.places)
        self._at_first = 0
        self.crossing_ways = CrossingWays(network, none if crossings is None else crossings)
        self.rows = make_rows(PedestrianRow, count)
        self._crowd = PedestrianContext(
            rows=self.rows,
            network=self.network,
            way_signals=self.crossing_ways.signals,
            wanted=self.crossing_ways.wanted,
            posts=stems,
            cells=CellList.of(count),
            wishes=np.zeros((count, 3)),
            near=np.zeros((count, NEAR), np.int64),
            falls=self._fallen[0],
            seed=seed,
            seconds=self._period * step_seconds,
            side=1.0 if keeps_right else -1.0,
        )
        self.motions, self.boxes = np.zeros((count, 13)), np.zeros((count, BOX))

    @classmethod
    def of(
        cls,
        site: WalkableWorld,
        *,
        count: int,
        seed: int,
        step_seconds: float,
        density: float | None = None,
    ) -> "Pedestrians":
        """The people of a compiled world; its crossings are the rows of `Traffic`."""
        world = site.world
        return cls(
            cached_walk_network(site) if count else network_of_lines((), np.zeros((0, 3))),
            count=count,
            seed=seed,
            step_seconds=step_seconds,
            density=density,
            posts=posts_of(world.obstacles) if count else None,
            crossings=crossing_positions(world),
            keeps_right=world.driving_side == "right",
        )

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Content of a snapshot in addition to the state."""
        if not len(self.rows):
            return ()
        names = tuple(f"traffic.person{k}" for k in range(len(self.rows)))
        return (
            memory_of("people of traffic", names, self.rows),
            Memory("falls of traffic", ("traffic.people",), self._fallen),
        )

    @property
    def fallen(self) -> tuple[int, int]:
        """Numbers of pedestrians hit by vehicles of traffic, and by robots."""
        vehicles, robots = self._fallen[0].tolist()
        return int(vehicles), int(robots)

    def begin(self, people: Floats, walkers: Floats) -> None:
        """Spawns all pedestrians on pavements.

        Without room, or anywhere to walk, rows stay empty.

        Args:
            people: (n, 9) of the state; written.
            walkers: (n, 6) how others see them, see `RoadUsers`; written.
        """
        people[:] = 0.0
        people[:, P.kind] = FREE
        if len(self._places.ways):
            most = len(people)
            if self._density is not None:
                most = min(most, round(self._density * float(self._places.ends[-1]) / 1000.0))
            self._put(people, NO_ROBOTS, (0, most), step=0)
        self._at_first = int((people[:, P.kind] >= 0.0).sum())
        self.place(people, walkers)

    def keep(self, wanted: int | None, people: Floats, robots: Floats, step: int) -> None:
        """Removes and spawns pedestrians until `wanted` are present, out of sight of robots.

        Args:
            wanted: target number; None: as many as initially.
            people: (n, 9) of the state; written.
            robots: (r, 8) boxes, see `RoadUsers`.
            step: counts from the start of the simulation.
        """
        is_about = people[:, P.kind] >= 0.0
        target = self._at_first if wanted is None else wanted
        too_many = int(is_about.sum()) - min(target, len(people))
        near = robots[robots[:, B.half_length] > 0.0]
        if too_many > 0:
            gaps = people[:, None, P.x : P.z] - near[None, :, B.x : B.z]
            is_far = ((gaps * gaps).sum(axis=2) > SPAWN_VISIBILITY * SPAWN_VISIBILITY).all(axis=1)
            gone = np.flatnonzero(is_about & is_far)[:too_many]
            people[gone], self.rows[gone] = 0.0, 0
            people[gone, P.kind] = FREE
        elif too_many < 0 and len(self._places.ways):
            # One at a time: if no position is found, the next call tries other ones.
            free = np.flatnonzero(~is_about)
            one = int(free[step % len(free)])
            self._put(people, near, (one, one + 1), step=step)

    def _put(self, people: Floats, robots: Floats, numbers: tuple[int, int], *, step: int) -> None:
        """Puts people somewhere on a pavement, from the first number to before the second."""
        spawn_pedestrians(people, self.rows, self._places, robots, self._seed, *numbers, step)

    def advance(self, step: int, people: Floats, around: RoadUsers) -> None:
        """Moves people for the step with the number `step`.

        Args:
            step: counts from the start of the simulation.
            people: (n, 9) of the state; written.
            around: whom they meet; its `people` are written.
        """
        if not len(people):
            return
        if step % self._period == 0:
            decide_walking(self._crowd, people, around)
        self._move(people, self.rows, self._step)
        self.place(people, around.people)

    def place(self, people: Floats, walkers: Floats) -> None:
        """Writes where people (n, 9) are into `motions`, `boxes` and walkers (n, 6)."""
        self._publish(people, self.rows, walkers)
        self._place(people, self.rows, self.motions, self.boxes)

    @cached_property
    def _move(self) -> Callable[..., None]:
        # Finding the types of records in each call takes as long as moving all people.
        like = (self._state_rows, self.rows, self._step)
        return bind_leading_arguments(move_pedestrians, like=like)

    @cached_property
    def _publish(self) -> Callable[..., None]:
        like = (self._state_rows, self.rows, np.zeros((len(self.rows), WALKER)))
        return bind_leading_arguments(publish_pedestrians, like=like)

    @cached_property
    def _place(self) -> Callable[..., None]:
        like = (self._state_rows, self.rows, self.motions, self.boxes)
        return bind_leading_arguments(place_bodies, like=like)

    @property
    def _state_rows(self) -> Floats:
        """Rows (n, 9) of the type of those of the state."""
        return np.zeros((len(self.rows), PERSON))

    def _pavements(self) -> Integers:
        """The ways on which people may be at first: those beside streets that lead somewhere."""
        network = self.network
        leads = network.goal_counts[network.ends[:, 0]] > 1
        return np.flatnonzero((network.kinds == WayKind.PAVEMENT) & leads & (network.lengths > 1.0))
