"""Looks the streets of stated routes up, and joins them to ways on which vehicles can drive."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from autosim.config.demand import Demand
from autosim.config.diagnostics import printable
from autosim.errors import UserError
from autosim.traffic.demand.edges import Edges
from autosim.traffic.demand.street_names import UnknownEdgeError
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES

_MOST_FAULTS = 10
"""Largest number of faults in one message."""


class DemandError(UserError):
    """Routes do not fit the map; the message has a line for each fault."""


def resolve_routes(demand: Demand, edges: Edges) -> dict[tuple[int, int], tuple[int, ...]]:
    """The edges of each route for each kind of vehicle that takes it.

    Raises:
        DemandError: a street is unknown, or no way leads from one to the next.
    """
    kinds = [KIND_NAMES.index(each.kind) for each in demand.types]
    wanted = {(each.route, kinds[each.type]) for each in demand.departures}
    is_own = all(edges.knows(name) for each in demand.routes for name in each.streets)
    found, faults = {}, []
    way_of = cache(lambda streets, kind: _way(_choices(streets, edges, is_own), kind, edges))
    for place, kind in sorted(wanted):
        route = demand.routes[place]
        try:
            found[place, kind] = way_of(route.streets, kind)
        except UnknownEdgeError as error:
            faults.append(f"{route.stated}: {error}")
    if faults:
        told = list(dict.fromkeys(faults))
        more = [f"… and {len(told) - _MOST_FAULTS} more"] if len(told) > _MOST_FAULTS else []
        raise DemandError("\n".join([*told[:_MOST_FAULTS], *more]))
    return found


def _choices(streets: Sequence[str], edges: Edges, is_own: bool) -> list[tuple[str, list[int]]]:
    """Possible meanings of each name of a route.

    If a file names unknown edges, it was made for another network of the same map,
    which splits ways differently: then a name means its whole way, except at the two ends of a
    route.
    """
    if is_own:
        return [(name, edges.named(name)) for name in streets]
    found = [(name, edges.on_way_of(name)) for name in streets]
    for place in (0, -1):
        found[place] = streets[place], [edges.part_of(streets[place])]
    return found


def _way(choices: Sequence[tuple[str, list[int]]], kind: int, edges: Edges) -> tuple[int, ...]:
    """The fastest way through one edge of each choice, in their order."""
    reached: dict[int, tuple[float, list[int]]] = {edge: (0.0, [edge]) for edge in choices[0][1]}
    for (before, _), (name, targets) in pairwise(choices):
        stays = {edge: reached[edge] for edge in targets if edge in reached}
        if len(stays) < len(targets):
            costs = {edge: cost for edge, (cost, _) in reached.items()}
            rest = [edge for edge in targets if edge not in stays]
            found = edges.way_between(costs, rest, kind)
            stays |= {
                edge: (cost, reached[way[0]][1] + way[1:]) for edge, (cost, way) in found.items()
            }
        if not stays:
            raise UnknownEdgeError(
                f"no way leads a {FLEET[kind].name} from '{printable(before)}' to "
                f"'{printable(name)}'"
            )
        reached = stays
    _, best = min(reached.values())
    return tuple(best)
