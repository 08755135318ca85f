"""The tasks of a step of the pipeline, done side by side: those of each block, and others."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.workers import in_processes

Result = TypeVar("Result")


def each_block(draft: Draft, work: Callable[[int], Result]) -> list[Result]:
    """The results of all blocks, in their order; those with most streets are begun first."""
    order = busiest_first(draft)
    done = side_by_side(draft, [partial(work, block) for block in order])
    return by_block(done, order)


def side_by_side(draft: Draft, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of tasks, in their order; those that take longest should come first."""
    return in_processes(
        lambda task: tasks[task](),
        len(tasks),
        processes=draft.crew,
        finished=lambda done: draft.advance(done / len(tasks)),
    )


def busiest_first(draft: Draft) -> list[int]:
    """All blocks, by how many points of streets they have."""
    points = np.vstack([street.points for street in draft.streets])
    blocks = draft.layout.blocks
    counts = np.bincount(blocks.at(points), minlength=blocks.count)
    return [int(block) for block in np.argsort(-counts, kind="stable")]


def by_block(results: Sequence[Result], order: Sequence[int]) -> list[Result]:
    """The results of blocks taken in `order`, in the order of the blocks."""
    return [results[turn] for turn in np.argsort(order, kind="stable")]
