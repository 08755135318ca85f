"""The node of traffic in the tree: everything that is visible of it."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.scenarios import Scenario
from autosim.config.world_settings import TrafficDescription
from autosim.model.state import State, list_rows
from autosim.model.tree import (
    PUBLICATION,
    WORD,
    Access,
    Column,
    Field,
    FieldType,
    TreeNode,
    list_field,
)
from autosim.world.lanes.lane_rules import SignalState

NAME, KIND = "traffic", "Traffic"

VEHICLE, PERSON = 12, 9
"""Numbers of a vehicle and of a person in the state."""

MOST_SIGNALS = 1024
"""Groups of signals that a state has room for: those of some 300 junctions. The tree is laid out
before the map is read, so their number cannot be that of the map."""

SIGNAL_ORDERS, MOST_ORDERS = "signal_orders", 256
"""Name of the list by which programs order what signals show, and how many orders it holds."""

ORDER_COLUMNS = ("signal", "state")
"""Columns of that list: the number of a signal, and its ordered state."""

VEHICLE_ORDERS = "vehicle_orders"
"""Name of the list by which programs order what vehicles do."""

TARGET_VEHICLES, TARGET_PEOPLE = "target_vehicles", "target_people"
"""Names of the nodes with the target numbers of vehicles and of people."""

MAX_VEHICLE_ORDERS = 64
"""Number of orders to vehicles at a time: more than a scene has actors; each update carries all."""

VEHICLE_ORDER_COLUMNS = ("vehicle", "speed", "change", "street", "lane", "station", "leave")
"""Columns of that list: the slot of a vehicle in `vehicles`; its ordered speed, negative for its
own; 1 to change to the left lane, -1 to the right, else 0; the street to take next, -1 for any;
the lane on which to appear if the slot is free, -1 for none, and the station of its front there; 1
to vanish, else 0."""

VEHICLE_ROUTES, MOST_ROUTE_STREETS = "vehicle_routes", 512
"""Name of the list by which programs order the ways of vehicles, and how many streets it holds:
those of eight long ways."""

VEHICLE_ROUTE_COLUMNS = ("vehicle", "lane")
"""Columns of that list: the place of a vehicle in `vehicles`, and a lane of a street on its way;
the rows of a vehicle are in the order of its way."""

SCENARIO = "scenario"
"""Name of the node that says how the scenario of a world stands."""

_COUNTS, _NUMBERS_OR_NONE = range(2**31), range(-1, 2**31)
"""Numbers of things in a map, of which the tree knows no more; and -1 for none of them."""

FREE = -1.0
"""Kind of an empty slot in the pool; no kind of `FLEET` has this number."""


class VehicleColumns(NamedTuple):
    """Columns of a vehicle; see `VEHICLES`."""

    kind: int = 0
    """Index in `FLEET`; -1 in an empty slot."""
    x: int = 1
    """East [m] of the centre."""
    y: int = 2
    """North [m] of the centre."""
    z: int = 3
    """Height [m] of the ground below the centre."""
    yaw: int = 4
    """Yaw [rad] counter-clockwise from east."""
    pitch: int = 5
    """About its left axis [rad]: the nose down."""
    roll: int = 6
    """About its forward axis [rad]: the left side up."""
    speed: int = 7
    """Forward speed [m/s]."""
    steering: int = 8
    """Angle of the front wheels [rad], positive to the left."""
    rolled: int = 9
    """Distance travelled [m]."""
    lights: int = 10
    """Bits of `Light`."""
    colour: int = 11
    """Number of the colour."""


class PersonColumns(NamedTuple):
    """Columns of a person."""

    kind: int = 0
    """Kind, 0 to 3; -1 in an empty slot."""
    x: int = 1
    """East [m] of the feet."""
    y: int = 2
    """North [m] of the feet."""
    z: int = 3
    """Height [m] of the feet."""
    yaw: int = 4
    """Yaw [rad] counter-clockwise from east."""
    speed: int = 5
    """Speed [m/s]."""
    walked: int = 6
    """Distance walked [m]."""
    posture: int = 7
    """0 upright, 1 lying."""
    colour: int = 8
    """Number of the colours of clothes and skin."""


V, P = VehicleColumns(), PersonColumns()

COUNTERS: tuple[tuple[str, str], ...] = (
    ("collisions", "Collisions among the vehicles and people of traffic."),
    ("collisions_with_robots", "Collisions of robots with traffic."),
    ("deadlocks", "Times that vehicles stood because each waited for another."),
    ("arrived", "Vehicles that have reached the end of their way."),
    ("ran_red", "Crossings of a stop line whose signal had been red for 1 s or longer."),
    ("vehicles_now", "Vehicles that are on their way."),
    ("people_now", "People who are about."),
)


def traffic_node(traffic: TrafficDescription) -> TreeNode:
    """The node of a world with `traffic`."""
    scenario = traffic.scenario
    actors = (len(scenario.vehicles), len(scenario.people)) if scenario else (0, 0)
    vehicles = Field(
        "vehicles",
        shape=(traffic.vehicles + actors[0], VEHICLE),
        meaning="Of each: kind (-1: empty row), x, y, z [m] of the ground below its centre, yaw, "
        "pitch, roll [rad], speed [m/s], steering [rad], distance travelled [m], lights, colour.",
    )
    people = Field(
        "people",
        shape=(traffic.people + actors[1], PERSON),
        meaning="Of each: kind (-1: empty row), x, y, z [m] of the feet, yaw [rad], speed [m/s], "
        "distance walked [m], posture (0 upright, 1 lying), colour.",
    )
    signals = Field(
        "signals",
        FieldType.INT,
        (MOST_SIGNALS,),
        meaning="Of each group: 0 off, 1 red, 2 red and amber, 3 green, 4 amber, 5 flashing.",
    )
    counters = [Field(name, FieldType.INT, meaning=meaning) for name, meaning in COUNTERS]
    node = TreeNode(NAME, KIND, (vehicles, people, signals, *counters))
    node.register(_orders_node())
    places = range(traffic.vehicles)
    node.register(_vehicle_orders_node(places))
    node.register(_vehicle_routes_node(places))
    node.register(_wanted_node(TARGET_VEHICLES, "vehicles"))
    node.register(_wanted_node(TARGET_PEOPLE, "people"))
    if scenario:
        node.register(_scenario_node(scenario))
    return node


def _scenario_node(scenario: Scenario) -> TreeNode:
    fields = (
        Field("status", FieldType.INT, meaning="0 runs, 1 has passed, 2 has failed."),
        Field(
            "events",
            FieldType.INT,
            (len(scenario.events),),
            meaning="The step in which each event has happened; -1: it has not yet.",
        ),
        Field(
            "criteria",
            FieldType.INT,
            (len(scenario.criteria),),
            meaning="Of each: 0 open, 1 met, 2 broken.",
        ),
    )
    return TreeNode(SCENARIO, KIND, fields)


def _wanted_node(name: str, whom: str) -> TreeNode:
    rows = list_field(
        "rows",
        [Column(whom, values=_COUNTS)],
        1,
        f"Target number of {whom}, at most the capacity; without a row, the number of the world "
        "file.",
    )
    return TreeNode(name, PUBLICATION, (rows,), access=Access.SET)


def _vehicle_orders_node(places: range) -> TreeNode:
    units = {"speed": "m/s", "station": "m"}
    values = {
        "vehicle": places,
        "change": range(-1, 2),
        "street": _NUMBERS_OR_NONE,
        "lane": _NUMBERS_OR_NONE,
        "leave": range(2),
    }
    rows = list_field(
        "rows",
        [Column(each, units.get(each, "1"), values.get(each)) for each in VEHICLE_ORDER_COLUMNS],
        MAX_VEHICLE_ORDERS,
        "Orders to vehicles. Each applies until its row is removed; a vehicle without a row "
        "drives by itself.",
    )
    return TreeNode(VEHICLE_ORDERS, PUBLICATION, (rows,), access=Access.SET)


def _vehicle_routes_node(places: range) -> TreeNode:
    values = {"vehicle": places, "lane": _COUNTS}
    rows = list_field(
        "rows",
        [Column(each, values=values[each]) for each in VEHICLE_ROUTE_COLUMNS],
        MOST_ROUTE_STREETS,
        "Streets that vehicles are to follow, each given by one lane in the direction of driving; "
        "streets that are not adjacent are connected by the fastest route.",
    )
    return TreeNode(VEHICLE_ROUTES, PUBLICATION, (rows,), access=Access.SET)


def _orders_node() -> TreeNode:
    values = {"signal": range(MOST_SIGNALS), "state": range(len(SignalState))}
    rows = list_field(
        "rows",
        [Column(each, values=values[each]) for each in ORDER_COLUMNS],
        MOST_ORDERS,
        "Ordered signal states, as in `signals`: 3 green, 1 red, 0 off, 5 flashing. Each applies "
        "until its row is removed; signals without a row follow their programs.",
    )
    return TreeNode(SIGNAL_ORDERS, PUBLICATION, (rows,), access=Access.SET)


class ScenarioArrays(NamedTuple):
    """Arrays in which a scenario publishes its state; parts of the tree's state.

    `vehicles` and `people` of traffic, the rows of its actors alone; `status` (1,) of the
    scenario, `events` the steps in which they happened or -1, `criteria` the status of each.
    """

    vehicles: Floats
    people: Floats
    status: Integers
    events: Integers
    criteria: Integers


class TrafficArrays:
    """The arrays of traffic in a state: views, which may be written.

    `vehicles` (V, 12), `people` (P, 9), `signals` (S,), and `counters` (6,) in the order of
    `COUNTERS`.
    """

    def __init__(self, state: State, node: TreeNode) -> None:
        at = _places(node, node.start)
        self.vehicles: Floats = state.floats[at["vehicles"]].reshape(-1, VEHICLE)
        self.people: Floats = state.floats[at["people"]].reshape(-1, PERSON)
        self.signals: Integers = state.ints[at["signals"]]
        first = at[COUNTERS[0][0]].start
        self.counters: Integers = state.ints[first : first + len(COUNTERS)]
        self._state = state
        self._lists = {
            name: _child(node, name)
            for name in (VEHICLE_ORDERS, VEHICLE_ROUTES, TARGET_VEHICLES, TARGET_PEOPLE)
        }

    def scenario(self, vehicles: int, people: int) -> ScenarioArrays:
        """Arrays of the scenario; its actors follow these numbers of vehicles and people."""
        node = self._state.tree.find(f"{NAME}.{SCENARIO}")
        assert node is not None
        status, events, criteria = (self._state.ints[_words(node, each)] for each in node.fields)
        return ScenarioArrays(
            self.vehicles[vehicles:], self.people[people:], status, events, criteria
        )

    def vehicle_orders(self) -> Floats:
        """The orders (n, 7) to vehicles, by `VEHICLE_ORDER_COLUMNS`."""
        return self._rows(VEHICLE_ORDERS)

    def vehicle_routes(self) -> Floats:
        """The ways (n, 2) of vehicles, by `VEHICLE_ROUTE_COLUMNS`."""
        return self._rows(VEHICLE_ROUTES)

    def wanted(self) -> int:
        """Target number of vehicles."""
        rows = self._rows(TARGET_VEHICLES)
        most = len(self.vehicles)
        return int(min(max(rows[0, 0], 0.0), most)) if len(rows) else most

    def wanted_people(self) -> int | None:
        """Target number of people; None: that of the world file."""
        rows = self._rows(TARGET_PEOPLE)
        return int(min(max(rows[0, 0], 0.0), len(self.people))) if len(rows) else None

    def _rows(self, name: str) -> Floats:
        node = self._lists[name]
        if not self._state.ints[node.start // WORD]:
            # Nearly always, in each step in which vehicles decide.
            return np.zeros((0, node.fields[0].shape[1]))
        return list_rows(self._state.buffer, node.fields[0], node.start)


@lru_cache(maxsize=8)
def _places(node: TreeNode, start: int) -> dict[str, slice]:
    """Slices of the fields of a node that begins at byte `start` in the words of a state."""
    del start
    return {each.name: _words(node, each) for each in node.fields}


def _child(node: TreeNode, name: str) -> TreeNode:
    return next(each for each in node.children if each.name == f"{node.name}.{name}")


def _words(node: TreeNode, field: Field) -> slice:
    first = node.field_offset(field.name) // WORD
    return slice(first, first + field.size // WORD)


def traffic_arrays_of(state: State) -> TrafficArrays | None:
    """The arrays of traffic in a state, None where its world has none."""
    node = state.tree.find(NAME)
    return None if node is None or node.kind != KIND else TrafficArrays(state, node)


def counters_of(state: State) -> dict[str, int]:
    """Counters of traffic by name; empty for a world without traffic."""
    arrays = traffic_arrays_of(state)
    if arrays is None:
        return {}
    names = [name for name, _ in COUNTERS]
    return dict(zip(names, arrays.counters.tolist(), strict=True))
