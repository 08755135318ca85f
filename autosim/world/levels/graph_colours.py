"""Colours of a graph: rows that lie apart in height get different ones, close rows the same."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

Neighbours = Mapping[int, set[int]]
"""The neighbours of each row that has any."""

_ROUNDS = 10
"""Most rounds in which rows take the colour of most others close to them."""


def coloured_as_groups(
    groups: Sequence[Sequence[int]], apart: Neighbours, close: Neighbours
) -> list[int]:
    """A colour for each row, the same for all rows of a group.

    The lower its number, the more rows of groups have a colour: the lowest level owns the nodes
    where levels meet.
    """
    number = {row: k for k, rows in enumerate(groups) for row in rows}

    def between(neighbours: Neighbours) -> Neighbours:
        found: dict[int, set[int]] = defaultdict(set)
        for row, others in neighbours.items():
            found[number[row]] |= {number[other] for other in others} - {number[row]}
        return found

    colours = _coloured(len(groups), between(apart), between(close))
    joined = Counter(colours[k] for k, rows in enumerate(groups) if len(rows) > 1 for _ in rows)
    order = sorted(set(colours), key=lambda colour: (-joined[colour], colour))
    return [order.index(colours[number[row]]) for row in range(len(number))]


def _coloured(count: int, apart: Neighbours, close: Neighbours) -> list[int]:
    """A colour for each row: none that a row apart has, best that of most of its close rows."""
    colours: dict[int, int] = {}
    order = _in_order_of_contact(count, close)
    for _ in range(_ROUNDS):
        before = dict(colours)
        for row in order:
            taken = {colours[other] for other in apart.get(row, ()) if other in colours}
            offered = Counter(colours[other] for other in close.get(row, ()) if other in colours)
            free = [colour for colour, _ in offered.most_common() if colour not in taken]
            if row not in colours:
                first = next(colour for colour in range(count) if colour not in taken)
                colours[row] = free[0] if free else first
            elif free and offered[free[0]] > offered[colours[row]]:
                colours[row] = free[0]
        if colours == before:
            break
    return [colours[row] for row in range(count)]


def _in_order_of_contact(count: int, close: Neighbours) -> list[int]:
    """All rows, each as soon as possible after one that is close to it."""
    order: dict[int, None] = {}
    for first in range(count):
        waiting = [first]
        while waiting:
            row = waiting.pop()
            if row not in order:
                order[row] = None
                waiting += sorted(close.get(row, set()) - order.keys(), reverse=True)
    return list(order)
