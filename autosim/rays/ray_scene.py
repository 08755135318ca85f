"""The part of a world that rays meet: all its meshes that collide."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import cached_property

import numpy as np

from autosim.arrays import Bytes, Floats, Integers
from autosim.jit import bind_leading_arguments, read_only
from autosim.rays.batch import RayBatch, meet_world
from autosim.rays.hierarchy import (
    Hierarchy,
    grow,
    make_hierarchy,
    mesh_boxes,
    with_own_stack,
)
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.meshes import Mesh


class RayScene:
    """Meshes that rays are cast at.

    Their triangles are numbered one mesh after the other. What is far from all rays costs next to
    nothing: the hierarchy of its triangles is made when the first ray comes.

    Args:
        meshes: in tiles or not.

    `hierarchy`: for kernels that cast rays by themselves, see `complete`.
    """

    def __init__(self, meshes: Sequence[Mesh]) -> None:
        self._meshes = [
            (read_only(mesh.vertices), read_only(mesh.triangles))
            for mesh in meshes
            if len(mesh.triangles)
        ]
        counts = [len(triangles) for _, triangles in self._meshes]
        self._bases: Integers = np.cumsum([0, *counts])
        self._given = [place for place, mesh in enumerate(meshes) if len(mesh.triangles)]
        self._surfaces = [mesh.surfaces for mesh in meshes if len(mesh.triangles)]
        boxes, sizes = [np.zeros((0, 6))], [np.zeros(0, dtype=np.int64)]
        for mesh in meshes:
            if len(mesh.triangles):
                starts = _starts(mesh)
                boxes.append(
                    mesh_boxes(read_only(mesh.vertices), read_only(mesh.triangles), starts)
                )
                sizes.append(np.diff(starts))
        self.hierarchy: Hierarchy = make_hierarchy(np.concatenate(boxes), np.concatenate(sizes))

    @classmethod
    def of(cls, world: CompiledWorld) -> "RayScene":
        """All that collides in a world; the ground comes first."""
        return cls(colliding(world))

    @cached_property
    def surfaces(self) -> Bytes:
        """The `Surface` (n,) of each triangle, by its number."""
        return np.concatenate([np.zeros(0, dtype=np.uint8), *self._surfaces])

    def mesh_of(self, number: int) -> int:
        """The place among the meshes that were given of the one with the triangle `number`."""
        return self._given[int(np.searchsorted(self._bases, number, side="right")) - 1]

    def complete(self, kernel: Callable[[int], tuple[int, int]]) -> None:
        """Runs a kernel that casts rays, and makes what these come to.

        Args:
            kernel: takes the ray to begin with; returns as `autosim.rays.batch.meet_world` does.
        """
        link, begin = kernel(0)
        while link >= 0:
            self._grow(link)
            link, begin = kernel(begin)

    def cast(self, origins: Floats, ends: Floats) -> tuple[Floats, Floats, Integers]:
        """Casts rays; see `autosim.rays.traversal.nearest` for what they meet.

        Args:
            origins: (n, 3) m in W.
            ends: (n, 3) m in W.

        Returns:
            The fraction (n,) of each ray up to what it meets first, 1 where that is nothing; the
            unit normals (n, 3) in W there, towards the origin, else zero; and the numbers (n,) of
            the triangles, else -1.
        """
        count = len(origins)
        rays = RayBatch.of(count, with_normals=True)
        rays.origins[:] = origins
        with np.errstate(over="ignore"):
            rays.ways[:] = ends - origins
        self.meet(rays, count)
        return rays.shares, rays.normals, rays.triangles

    def meet(self, rays: RayBatch, count: int) -> None:
        """Finds what the first `count` rays of a batch meet."""
        self.complete(lambda begin: meet_world(self.hierarchy, rays, begin, count))

    def meeting(self, rays: RayBatch) -> Callable[[int], None]:
        """As `meet` of one batch that is cast in each step: a function of the count."""
        kernel = bind_leading_arguments(meet_world, self.hierarchy, rays, like=(0, 0))

        def meet(count: int) -> None:
            link, begin = kernel(0, count)
            while link >= 0:
                self._grow(link)
                link, begin = kernel(begin, count)

        return meet

    def meet_in_threads(
        self, batches: Sequence[RayBatch], counts: Sequence[int], pool: Executor
    ) -> None:
        """As `meet` of the first rays of several batches, side by side.

        Args:
            batches: that have the rays.
            counts: of the rays of each.
            pool: of threads.
        """
        begins, waiting = [0] * len(batches), list(range(len(batches)))
        # The stack of a search is among the hierarchy's arrays: each thread needs its own.
        own = [with_own_stack(self.hierarchy) for _ in batches]

        def go_on(place: int) -> tuple[int, int]:
            return meet_world(own[place], batches[place], begins[place], counts[place])

        while waiting:
            found = list(pool.map(go_on, waiting))
            # The hierarchy grows while no thread reads it.
            for link in sorted({link for link, _ in found if link >= 0}):
                self._grow(link)
            for place, (_, begin) in zip(waiting, found, strict=True):
                begins[place] = begin
            waiting = [place for place, (link, _) in zip(waiting, found, strict=True) if link >= 0]

    def _grow(self, link: int) -> None:
        number = int(self.hierarchy.first[link])
        mesh = int(np.searchsorted(self._bases, number, side="right")) - 1
        grow(self.hierarchy, link, *self._meshes[mesh], int(self._bases[mesh]))


def colliding(world: CompiledWorld) -> tuple[Mesh, ...]:
    """The meshes of a world that are not for the eye alone; the ground comes first."""
    return world.ground, world.structures, world.buildings, world.house_boxes, world.obstacles


def _starts(mesh: Mesh) -> Integers:
    """Offsets of the blocks of neighbouring triangles, and the number of all triangles."""
    if not len(mesh.starts):
        return np.array([0, len(mesh.triangles)])
    is_full = np.append(np.diff(mesh.starts) > 0, True)
    return np.ascontiguousarray(mesh.starts[is_full])
