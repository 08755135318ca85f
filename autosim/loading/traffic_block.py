"""The traffic of a world file: vehicles with random routes, or with stated ones."""

from dataclasses import replace

from autosim.config.demand import Demand, Departure, StatedRoute, StatedTrip, VehicleType
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.reading.record_reader import read_record
from autosim.config.scenarios import Scenario
from autosim.config.world_settings import TrafficDescription

_USUAL_MOST = 200
"""Places for vehicles where a world states routes and no number: a town of a square kilometre."""


def traffic_of(
    block: Block | None, source: str, routes: Demand | None, scenario: Scenario | None
) -> TrafficDescription | None:
    """The traffic that a block without errors states.

    Args:
        block: `Traffic`, None where there is none.
        source: the name of the world file.
        routes: the routes of the file that it names.
        scenario: what is played.
    """
    if block is None:
        return None
    stated = read_record(TrafficDescription, block, scenario=scenario)
    demand = _joined(routes, _trips(block, source))
    if not demand:
        shares = ((str(each.get("kind")), each.own_real("value")) for each in block.all("Share"))
        return replace(stated, shares=tuple(shares))
    vehicles = stated.vehicles
    if block.first("Vehicles") is None:
        vehicles = min(len(demand.departures), _USUAL_MOST)
    return replace(stated, vehicles=vehicles, shares=_shares(demand, vehicles), demand=demand)


def check_traffic(block: Block, faults: Faults) -> None:
    """Finds what does not go together in a block `Traffic`."""
    shares = list(block.all("Share"))
    if shares and not sum(each.own_real("value") for each in shares):
        faults.error(block, "all shares of <Traffic> are 0: no vehicle could be chosen")
    if shares and (block.get("routes") or block.all("Trip")):
        message = "<Share> is ignored: the routes say which kinds of vehicles there are"
        faults.warning(shares[0], message)
    for each in block.all("Trip"):
        if not str(each.get("streets")).split():
            faults.error(each, "expected the streets of the way, not nothing")


def _trips(block: Block, source: str) -> Demand | None:
    """The vehicles of the elements `Trip`."""
    trips = list(block.all("Trip"))
    if not trips:
        return None
    stated = [read_record(StatedTrip, each) for each in trips]
    kinds = list(dict.fromkeys(trip.kind for trip in stated))
    departures = [
        Departure(
            f"trip{place}.{number}",
            trip.depart + number * trip.every,
            kinds.index(trip.kind),
            place,
        )
        for place, trip in enumerate(stated)
        for number in range(trip.count)
    ]
    return Demand(
        tuple(VehicleType(kind, kind) for kind in kinds),
        tuple(
            StatedRoute(trip.streets, f"{source}:{each.line}")
            for trip, each in zip(stated, trips, strict=True)
        ),
        tuple(sorted(departures, key=lambda departure: departure.seconds)),
        trips=tuple(stated),
    )


def _joined(first: Demand | None, second: Demand | None) -> Demand | None:
    """The routes of a file and those of the world file as one."""
    if first is None or second is None:
        return first or second
    types, routes = len(first.types), len(first.routes)
    moved = (
        replace(each, type=each.type + types, route=each.route + routes)
        for each in second.departures
    )
    departures = sorted((*first.departures, *moved), key=lambda each: each.seconds)
    return Demand(
        (*first.types, *second.types),
        (*first.routes, *second.routes),
        tuple(departures),
        file=first.file,
        trips=second.trips,
    )


def _shares(demand: Demand, places: int) -> tuple[tuple[str, float], ...]:
    """The shares of the kinds of vehicles: each kind has a place, if there are enough of them."""
    counts = demand.shares()
    least = sum(count for _, count in counts) / max(places, 1)
    return tuple((kind, max(count, least)) for kind, count in counts)
