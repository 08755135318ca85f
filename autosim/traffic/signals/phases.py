"""Phases: sets of signal groups that are green together, such that each group has its turn."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Booleans, Floats


def find_phases(apart: Booleans, weights: Floats) -> list[tuple[int, ...]]:
    """Phases of the groups of one intersection, in which no two groups are `apart`.

    Each phase begins with the most important group that has had no turn, and takes in all that go
    with it: those that have had no turn first. A group may be in several phases.

    Args:
        apart: (g, g) bool, pairs that should not be green together.
        weights: (g,) importance, higher first.

    Returns:
        the groups of each phase, ascending.
    """
    order = sorted(range(len(weights)), key=lambda group: (-weights[group], group))
    phases: list[tuple[int, ...]] = []
    served: set[int] = set()
    while len(served) < len(weights):
        seed = next(group for group in order if group not in served)
        waiting = [group for group in order if group not in served and group != seed]
        phase = _grown([seed], waiting, apart)
        phase = _grown(phase, [group for group in order if group in served], apart)
        phases.append(tuple(sorted(phase)))
        served.update(phase)
    return _without_needless(phases)


def _grown(phase: Sequence[int], candidates: Sequence[int], apart: Booleans) -> list[int]:
    """A phase with the candidates, in their order, that go with all in it."""
    grown = list(phase)
    for group in candidates:
        if not apart[group, grown].any():
            grown.append(group)
    return grown


def _without_needless(phases: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The phases without those whose groups all have a turn in others."""
    kept = list(phases)
    for phase in phases:
        others = [each for each in kept if each != phase]
        if others and set(phase) <= set(np.concatenate(others).tolist()):
            kept = others
    return kept
