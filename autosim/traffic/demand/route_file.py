"""Reads the routes and departures of SUMO: `.rou.xml`, trips and flows, as they are.

What has no meaning here (people, containers, stops, where on its last street a vehicle ends) is
left out, with one warning for each kind of element.

Source: SUMO's documentation, Definition of Vehicles, Vehicle Types, and Routes.
"""

import zlib
from collections.abc import Iterator
from math import ceil

import numpy as np
from lxml import etree

from autosim import portable
from autosim.config.demand import Demand, Departure, StatedRoute
from autosim.config.diagnostics import printable
from autosim.config.reading.attribute_values import parse_finite, whole_of
from autosim.config.reading.faults import Faults
from autosim.config.reading.sources import Source
from autosim.config.reading.xml_reader import line_of
from autosim.traffic.demand.vehicle_types import UnknownClassError, VehicleTypes, vehicle_type

ROOTS = ("routes", "additional", "trips")
"""Roots of files that may have routes."""

MOST_DEPARTURES = 100_000
"""Vehicles of a file at most: days of a town, and some 20 MB of memory."""

_GREATEST_CHANCE = 1e9
"""Greatest share of a choice: shares are relative to their sum, which must stay finite."""

_CONTAINERS = ("interval",)
"""Elements that only hold others."""

_LATEST = 1e9
"""Latest time [s] that a file may state: some 30 years."""

_LONGEST_DRAWN = 1e7
"""Longest time [s] of a flow with a probability, of which each second is drawn: some 100 days."""

_MOST_STREETS = 100_000
"""Largest number of streets of a route, its repetitions included."""

_DAY = 86400.0
"""Length [s] of a day: flows without an end last until then, as in SUMO."""

_LEFT_OUT = ("person", "personFlow", "container", "containerFlow", "stop", "param", "walkRoute")

_Element = etree._Element


class _FaultError(Exception):
    """A fault of an element."""


def read_routes(*sources: Source) -> Demand | None:
    """The routes and departures of files; None, with diagnostics, if one has errors.

    A file may use what those before it define.
    """
    reader = _Reader()
    for source in sources:
        if source.tag not in ROOTS:
            message = f"expected the root element <routes>, not <{printable(source.tag)}>"
            source.faults.error(line_of(source.root), message)
            return None
        reader.read(source)
        if source.faults.has_errors:
            return None
    demand = reader.demand()
    if sources and not demand.departures:
        last = sources[-1]
        last.faults.warning(line_of(last.root), "the file has no vehicle that sets out")
    return demand


class _Reader:
    _faults: Faults

    def __init__(self) -> None:
        self._types = VehicleTypes()
        self._routes: list[StatedRoute] = []
        self._named: dict[str, int] = {}
        self._choices: dict[str, list[tuple[float, int]]] = {}
        self._departures: list[Departure] = []
        self._left_out: dict[str, int] = {}

    def demand(self) -> Demand:
        """The demand that was read."""
        departures = sorted(self._departures, key=lambda each: each.seconds)
        return Demand(self._types.all, tuple(self._routes), tuple(departures))

    def read(self, source: Source) -> None:
        """Reads all elements of a file: definitions first, as they may come after their use."""
        self._faults = source.faults
        elements = list(_flat(source.root))
        for element in elements:
            if element.tag in ("vType", "vTypeDistribution", "route", "routeDistribution"):
                self._try(element, _DEFINITIONS[element.tag])
        for element in elements:
            if element.tag in _VEHICLES:
                self._try(element, _VEHICLES[element.tag])
            elif element.tag not in _DEFINITIONS:
                self._leave_out(element)
            if self._faults.are_too_many:
                return

    def _try(self, element: _Element, read: str) -> None:
        try:
            getattr(self, read)(element)
        except _FaultError as error:
            name = printable(element.get("id", ""))
            self._faults.error(line_of(element), f"<{element.tag}> '{name}': {error}")

    def _place(self, element: _Element) -> str:
        return f"{self._faults.file.name}:{line_of(element)}"

    def _leave_out(self, element: _Element) -> None:
        tag = str(element.tag)
        self._left_out[tag] = self._left_out.get(tag, 0) + 1
        if self._left_out[tag] == 1:
            known = (
                "is left out"
                if tag in _LEFT_OUT
                else "is not an element of routes, and is left out"
            )
            self._faults.warning(line_of(element), f"<{printable(tag)}> {known}")

    def _read_type(self, element: _Element) -> int | None:
        name = _stated(element, "id")
        try:
            found = vehicle_type(name, {str(k): str(v) for k, v in element.items()})
        except UnknownClassError as error:
            self._faults.warning(line_of(element), f"<vType> '{printable(name)}': {error}")
            self._types.leave_out(name)
            return None
        except ValueError as error:
            raise _FaultError(str(error)) from error
        return self._types.add(found)

    def _read_types(self, element: _Element) -> None:
        name, choices = _stated(element, "id"), []
        for each in element:
            place = self._read_type(each) if each.tag == "vType" else None
            if place is not None:
                choices.append((_chance(each), place))
        for other, chance in _listed(element, "vTypes"):
            place = self._types.place_of(other)
            if place is None:
                raise _FaultError(f"there is no <vType> '{printable(other)}'")
            choices.append((chance, place))
        self._types.add_choice(name, choices)

    def _read_route(self, element: _Element) -> int:
        edges = tuple(_stated(element, "edges").split())
        if not edges:
            raise _FaultError("edges has no edge")
        times = _whole(element, "repeat", 0) + 1
        if len(edges) * times > _MOST_STREETS:
            raise _FaultError(f"it has more than {_MOST_STREETS} streets")
        self._routes.append(StatedRoute(edges * times, self._place(element)))
        place = len(self._routes) - 1
        if element.get("id"):
            self._named[str(element.get("id"))] = place
        return place

    def _read_route_choice(self, element: _Element) -> None:
        choices = []
        for each in element:
            if each.tag == "route":
                place = self._read_route(each) if each.get("edges") else self._route(each, "refId")
                choices.append((_chance(each), place))
        for name, chance in _listed(element, "routes"):
            choices.append((chance, self._route_called(name)))
        if not choices:
            raise _FaultError("lists no route")
        self._choices[_stated(element, "id")] = choices

    def _read_vehicle(self, element: _Element) -> None:
        name = _stated(element, "id")
        self._depart(element, name, _time(_stated(element, "depart"), "depart"), 0)

    def _read_flow(self, element: _Element) -> None:
        name, times = _stated(element, "id"), _times_of_flow(element)
        if not self._types.is_left_out(str(element.get("type"))):
            self._require_room(len(times))
        for number, seconds in enumerate(times):
            self._depart(element, f"{name}.{number}", seconds, number)

    def _depart(self, element: _Element, name: str, seconds: float, number: int) -> None:
        kind = self._types.chosen(element.get("type"), _share(name))
        if kind is None:
            if self._types.is_left_out(str(element.get("type"))):
                return
            raise _FaultError(f"there is no <vType> '{printable(str(element.get('type')))}'")
        self._require_room(1)
        if number == 0 or element.get("route") in self._choices:
            self._last_route = self._route_of(element, name)
        lane, speed = element.get("departLane", "first"), element.get("departSpeed", "0")
        self._departures.append(
            Departure(
                name,
                seconds,
                kind,
                self._last_route,
                whole_of(lane),
                _speed(speed),
            )
        )

    def _require_room(self, vehicles: int) -> None:
        if len(self._departures) + vehicles > MOST_DEPARTURES:
            raise _FaultError(
                f"it would bring more than {MOST_DEPARTURES} vehicles to the file: too many"
            )

    _last_route = 0

    def _route_of(self, element: _Element, name: str) -> int:
        """The route of a vehicle: within it, by its name, or from one street to another."""
        own = None
        for each in element:
            if each.tag == "route":
                own = self._read_route(each)
            elif each.tag == "routeDistribution":
                raise _FaultError("give its <routeDistribution> its own id, outside of the vehicle")
            else:
                self._leave_out(each)
        if own is not None:
            return own
        stated = element.get("route")
        if stated is not None:
            return self._route_called(stated, _share(name))
        if element.get("from") is None or element.get("to") is None:
            raise _FaultError("has neither a route nor streets from which and to which it goes")
        streets = (str(element.get("from")), *str(element.get("via", "")).split())
        self._routes.append(StatedRoute((*streets, str(element.get("to"))), self._place(element)))
        return len(self._routes) - 1

    def _route(self, element: _Element, attribute: str) -> int:
        return self._route_called(_stated(element, attribute))

    def _route_called(self, name: str, share: float = 0.0) -> int:
        if name in self._choices:
            return _drawn(self._choices[name], share)
        if name not in self._named:
            raise _FaultError(f"there is no <route> '{printable(name)}'")
        return self._named[name]


_DEFINITIONS = {
    "vType": "_read_type",
    "vTypeDistribution": "_read_types",
    "route": "_read_route",
    "routeDistribution": "_read_route_choice",
}
_VEHICLES = {"vehicle": "_read_vehicle", "trip": "_read_vehicle", "flow": "_read_flow"}
"""The method that reads each element."""


def _flat(parent: _Element) -> Iterator[_Element]:
    for element in parent:
        if element.tag in _CONTAINERS:
            yield from _flat(element)
        else:
            yield element


def _times_of_flow(element: _Element) -> list[float]:
    """When [s] the vehicles of a flow set out."""
    parent = element.getparent()
    outer = parent if parent is not None and parent.tag in _CONTAINERS else element
    begin = _time(element.get("begin", outer.get("begin", "0")), "begin")
    stated_end = element.get("end", outer.get("end"))
    end = begin + _DAY if stated_end is None else _time(stated_end, "end")
    if end <= begin:
        raise _FaultError(f"its end ({end:g} s) is not after its begin ({begin:g} s)")
    most = element.get("number")
    # One more than allowed: then the vehicle that is too many is refused by its number.
    count = min(_whole(element, "number", MOST_DEPARTURES + 1), MOST_DEPARTURES + 1)
    random = np.random.default_rng(zlib.crc32(_stated(element, "id").encode()))
    if element.get("probability") is not None:
        return _drawn_times(begin, end, _number(element, "probability", 0.0), count, random)
    period = element.get("period", "")
    if period.startswith("exp(") and period.endswith(")"):
        return _at_random(begin, end, _positive(period[4:-1], "period"), count, random)
    if period:
        each = _positive(period, "period")
    else:
        rates = [name for name in ("vehsPerHour", "perHour") if element.get(name)]
        if rates:
            each = 3600.0 / _positive(str(element.get(rates[0])), rates[0])
        elif most is not None:
            each = (end - begin) / max(count, 1)
        else:
            raise _FaultError("states no number, period, vehsPerHour or probability")
    found = max(ceil(min((end - begin) / each, float(count)) - 1e-9), 0)
    return [begin + each * number for number in range(found)]


def _drawn_times(
    begin: float, end: float, chance: float, most: int, random: np.random.Generator
) -> list[float]:
    """The seconds [s] of a flow in which a vehicle sets out, each with the same chance."""
    if end - begin > _LONGEST_DRAWN:
        raise _FaultError(
            f"a flow with a probability lasts {_LONGEST_DRAWN:g} s at most: give it an earlier end"
        )
    times: list[float] = []
    for first in np.arange(begin, end, _DAY).tolist():
        seconds = np.arange(first, min(first + _DAY, end))
        times += seconds[random.random(len(seconds)) < chance].tolist()
        if len(times) >= most:
            break
    return times[:most]


def _at_random(
    begin: float, end: float, rate: float, most: int, random: np.random.Generator
) -> list[float]:
    """Times [s] that come at random, `rate` a second."""
    times: list[float] = []
    now = begin
    while len(times) < most:
        now -= portable.log_of(1.0 - random.random()) / rate
        if now >= end:
            break
        times.append(now)
    return times


def _listed(element: _Element, attribute: str) -> list[tuple[str, float]]:
    """The names that an attribute lists, each with its probability."""
    names = element.get(attribute, "").split()
    chances = element.get("probabilities", "").split()
    if chances and len(chances) != len(names):
        raise _FaultError(f"{attribute} and probabilities differ in number")
    return [
        (name, min(_positive(chance, "probabilities"), _GREATEST_CHANCE))
        for name, chance in zip(names, chances or ["1"] * len(names), strict=True)
    ]


def _drawn(choices: list[tuple[float, int]], share: float) -> int:
    """The choice at a share (0..1) of all probabilities."""
    left = share * sum(chance for chance, _ in choices)
    for chance, place in choices:
        left -= chance
        if left < 0.0:
            return place
    return choices[-1][1]


def _share(name: str) -> float:
    """A number (0..1) that looks drawn by chance, always the same for a name."""
    return zlib.crc32(name.encode()) / 2.0**32


def _stated(element: _Element, attribute: str) -> str:
    value = element.get(attribute)
    if value is None:
        raise _FaultError(f"the attribute {attribute} is missing")
    return str(value)


def _whole(element: _Element, attribute: str, default: int) -> int:
    """A whole number that is not negative."""
    text = element.get(attribute)
    value = default if text is None else whole_of(text)
    if value is None or value < 0:
        shown = printable(str(text))
        raise _FaultError(f'{attribute}="{shown}" is not a whole number from 0')
    return value


def _chance(element: _Element) -> float:
    """The share of a choice among others."""
    value = _number(element, "probability", 1.0)
    if not 0.0 <= value <= _GREATEST_CHANCE:
        raise _FaultError(f'probability="{value:g}" is not in [0, {_GREATEST_CHANCE:g}]')
    return value


def _number(element: _Element, attribute: str, default: float) -> float:
    text = element.get(attribute)
    return default if text is None else _real(text, attribute)


def _real(text: str, attribute: str) -> float:
    value = parse_finite(text)
    if value is None:
        raise _FaultError(f'{attribute}="{printable(text)}" is not a number')
    return value


def _positive(text: str, attribute: str) -> float:
    value = _real(text, attribute)
    if value <= 0.0:
        raise _FaultError(f'{attribute}="{printable(text)}" is not more than 0')
    return value


def _time(text: str, attribute: str) -> float:
    """A time [s], which may be stated as hours, minutes and seconds, with days before them."""
    parts = text.split(":")
    if len(parts) not in (1, 3, 4):
        raise _FaultError(f'{attribute}="{printable(text)}" is not a time')
    seconds = 0.0
    for part, unit in zip(reversed(parts), (1.0, 60.0, 3600.0, _DAY), strict=False):
        seconds += unit * _real(part, attribute)
    if not 0.0 <= seconds <= _LATEST:
        where = "is before the start" if seconds < 0.0 else f"is later than {_LATEST:g} s"
        raise _FaultError(f'{attribute}="{printable(text)}" {where}')
    return seconds


def _speed(text: str) -> float | None:
    """The speed [m/s] with which a vehicle sets out; None: as fast as it can."""
    value = parse_finite(text)
    return None if value is None else max(value, 0.0)
