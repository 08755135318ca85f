"""All people on foot of a world, as the step of traffic moves them."""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.simulation.snapshot import Memory
from autosim.traffic.node import FREE, P
from autosim.traffic.people.destinations import find_destinations
from autosim.traffic.people.neighbours import Cells, Posts
from autosim.traffic.people.placing import place_all
from autosim.traffic.people.posts import posts_of
from autosim.traffic.people.walk_network import WalkNetwork, WayKind
from autosim.traffic.people.walkers import WIDTH, Network
from autosim.traffic.people.walking import decide, move
from autosim.traffic.surroundings import Surroundings
from autosim.world.compiled.compiled import CompiledWorld

DECISIONS = 20.0
"""Rate [1/s] at which people decide: they react in half a second, and in a twentieth nobody who
keeps his distance comes near anybody."""


class People:
    """The people of one world.

    `fallen` (2,): how many have fallen before vehicles of traffic, and before robots. `rows` are
    what is kept of each beside the state.

    Args:
        network: the ways that they walk.
        count: how many there are.
        seed: of all that is random.
        step_seconds: length of a step [s].
        posts: (p, 3) x, y, radius [m] of what stands on pavements.
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
        keeps_right: bool = True,
    ) -> None:
        found = find_destinations(network, seed)
        self._network = Network(
            *(network.points, network.stations, network.starts, network.lengths),
            *(network.half_widths, network.kinds, network.ends),
            *(network.lanes, network.lane_starts),
            *found,
        )
        self._seed, self._step = seed, step_seconds
        self._period = max(1, round(1.0 / (DECISIONS * step_seconds)))
        self._posts = Posts.of(np.zeros((0, 3)) if posts is None else posts)
        self._cells = Cells.of(count)
        self._wishes = np.zeros((count, 3))
        self._side = 1.0 if keeps_right else -1.0
        self.rows = np.zeros((count, WIDTH))
        self.fallen: Integers = np.zeros(2, dtype=np.int64)

    @classmethod
    def of(cls, world: CompiledWorld, *, count: int, seed: int, step_seconds: float) -> "People":
        """The people of a compiled world."""
        return cls(
            WalkNetwork.of(world),
            count=count,
            seed=seed,
            step_seconds=step_seconds,
            posts=posts_of(world.obstacles),
            keeps_right=world.driving_side == "right",
        )

    @property
    def memories(self) -> tuple[Memory, ...]:
        """What a snapshot keeps beside the state."""
        if not len(self.rows):
            return ()
        names = tuple(f"traffic person {k}" for k in range(len(self.rows)))
        return (Memory("people of traffic", names, self.rows),)

    def begin(self, people: Floats) -> None:
        """Puts everybody somewhere on a pavement, in people (n, 9) of the state.

        Where there is no room, or nowhere to walk, places stay free.
        """
        people[:] = 0.0
        people[:, P.kind] = FREE
        ways = self._pavements()
        if len(ways):
            ends = np.cumsum(self._network.lengths[ways])
            place_all(people, self.rows, self._network, ways, ends, self._posts.places, self._seed)

    def advance(self, step: int, people: Floats, around: Surroundings) -> None:
        """Moves people (n, 9) for the step with the number `step`.

        Args:
            step: counts from the start of the simulation.
            people: of the state; written.
            around: whom they meet.
        """
        if not len(people):
            return
        if step % self._period == 0:
            decide(
                *(people, self.rows, self._network, self._cells, self._posts),
                *(around.vehicles, around.robots, around.lane_signals),
                *(self._wishes, self.fallen, self._seed),
                *(self._period * self._step, self._side),
            )
        move(people, self.rows, self._step)

    def _pavements(self) -> Integers:
        """The ways on which people may be at first: those beside streets that lead somewhere."""
        network = self._network
        leads = network.goal_counts[network.ends[:, 0]] > 1
        return np.flatnonzero((network.kinds == WayKind.PAVEMENT) & leads & (network.lengths > 1.0))
