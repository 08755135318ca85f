"""Channels of all values of a tree: a recording in a page shows any of them at any time."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.model.tree import WORD, FieldType, SimulationTree
from autosim.web.streaming.state_channels import EXACT, StateChannel, channels_of, words_of

MOST_WORDS = 4096
"""Largest field [words] that is a part of a page: the rows of traffic, but no cloud of a lidar."""

_RESOLUTION = 2.0**-16
"""Quantum of a value as a share of the largest magnitude that it has in the run."""

_FINEST = 2.0**-40
"""Smallest quantum [unit of the value], of a value that is always zero, too."""


class WholeChannels(NamedTuple):
    """The channels, and the qualified names of the fields that are too large for them."""

    channels: tuple[StateChannel, ...]
    left_out: tuple[str, ...]
    """`node.field`, in the order of the tree."""


def magnitudes_of(tree: SimulationTree, states: Iterable[bytes]) -> Floats:
    """The largest finite magnitude (n,) of each word of some states, read as float64."""
    largest = np.zeros(tree.stop // WORD)
    for state in states:
        values = np.abs(np.frombuffer(state, dtype=np.float64))
        np.fmax(largest, np.where(np.isfinite(values), values, 0.0), out=largest)
    return largest


def whole_channels(tree: SimulationTree, magnitudes: Floats) -> WholeChannels:
    """The channels of all fields that are not too large.

    Values that pictures need are as fine as streams have them; others have a sixteen-bit share of
    the largest magnitude (n,) that they have in the run.
    """
    of_pictures = channels_of(tree)
    known = frozenset(words_of(of_pictures).tolist())
    left_out = []
    others: list[tuple[int, float]] = []
    for node in tree.walk():
        if node.twin is not None:
            continue
        for field in node.fields:
            if field.size // WORD > MOST_WORDS:
                left_out.append(f"{node.name}.{field.name}")
                continue
            first = node.field_offset(field.name) // WORD
            words = [k for k in range(first, first + field.size // WORD) if k not in known]
            is_float = field.type is FieldType.FLOAT
            counts = {first} if field.is_list else set()
            others += [
                (k, _quantum(magnitudes[k]) if is_float and k not in counts else EXACT)
                for k in words
            ]
    return WholeChannels((*of_pictures, *_runs(sorted(others))), tuple(left_out))


def _quantum(magnitude: float) -> float:
    """A power of two: multiples of it are exact."""
    return float(2.0 ** np.ceil(np.log2(max(magnitude * _RESOLUTION, _FINEST))))


def _runs(words: list[tuple[int, float]]) -> Iterator[StateChannel]:
    """Channels of words that follow each other and have the same quantum."""
    numbered = enumerate(words)
    for (_, quantum), group in groupby(numbered, lambda each: (each[1][0] - each[0], each[1][1])):
        own = [word for _, (word, _) in group]
        yield StateChannel(own[0] * WORD, len(own), quantum)
