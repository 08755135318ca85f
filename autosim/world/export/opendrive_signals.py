"""Writes OpenDRIVE signals, their controllers, signs, and which roads of a junction go first.

A controller holds the signals that always show the same; those of a junction have its phases as
their sequence.
Traffic lights have the type that ASAM OpenDRIVE 1.7 itself defines (country "OpenDRIVE", 1000001).
Signs have the types of the German catalogue (country "DE"), as in the examples of the standard.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

import numpy as np
from lxml import etree

from autosim.arrays import Integers
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import Lane

_TYPES: Mapping[Control, tuple[str, str, str]] = MappingProxyType(
    {
        Control.SIGNALS: ("yes", "OpenDRIVE", "1000001"),
        Control.STOP: ("no", "DE", "206"),
        Control.ALL_WAY_STOP: ("no", "DE", "206"),
        Control.GIVE_WAY: ("no", "DE", "205"),
        Control.EQUAL: ("no", "DE", "102"),
    }
)
_POLE = 2.2
"""Height [m] of a sign above the road: pedestrians walk under it."""

_SIGN, _LIGHT = (0.6, 0.6), (0.9, 0.35)
"""Heights and widths [m] of signs and of heads of traffic lights."""

_REVISION = "2017"
"""Year of the catalogue of German signs."""


@dataclass(frozen=True, slots=True)
class SignalledLanes:
    """Groups of lanes that wait at lights that show the same.

    Attributes:
        groups: (n,) number of the group of each lane; -1 of those without lights.
        phases: number of the phase of its intersection in which each group is green first.
    """

    groups: Integers
    phases: Sequence[int]

    @classmethod
    def none(cls, lanes: int) -> "SignalledLanes":
        """Lights without groups, for a number of lanes."""
        return cls(np.full(lanes, -1, dtype=np.int64), ())


class SignalWriter:
    """Writes the signals and signs of roads, and then the controllers.

    Args:
        signalled: groups of lanes that wait at the same lights.
    """

    def __init__(self, signalled: SignalledLanes) -> None:
        self._signalled = signalled
        self._members: dict[int, list[str]] = defaultdict(list)

    def write(self, road: etree._Element, lanes: Sequence[Lane], number: int) -> None:
        """Adds the signals and signs of a road.

        Args:
            road: receives them.
            lanes: its lanes from left to right; their ids are -1, -2, ….
            number: the road's id.
        """
        signals = etree.SubElement(road, "signals")
        numbered = list(enumerate(lanes, start=1))
        for (control, light), members in groupby(numbered, key=lambda each: self._key(each[1])):
            if control not in _TYPES:
                continue
            same = list(members)
            signal = _signal(signals, control, same[0][1].stop_line or 0.0)
            id_ = f"{number}.{same[0][0]}"
            signal.set("id", id_)
            # Right of all lanes; the line is the middle of the first one.
            right = sum(lane.width for lane in lanes) - lanes[0].width / 2.0
            signal.set("t", f"{-right:.9g}")
            spans = {"fromLane": str(-same[-1][0]), "toLane": str(-same[0][0])}
            etree.SubElement(signal, "validity", spans)
            if light >= 0:
                self._members[light].append(id_)

    def _key(self, lane: Lane) -> tuple[Control, int]:
        """The control of a lane and its group of lights, which lanes of one signal share."""
        control = lane.control
        light = int(self._signalled.groups[lane.index]) if control is Control.SIGNALS else -1
        return control, light

    def write_controllers(self, root: etree._Element) -> None:
        """Adds the controllers of all signals."""
        for light, members in sorted(self._members.items()):
            attributes = {"id": f"c{light}", "name": f"signal{light}"}
            controller = etree.SubElement(root, "controller", attributes)
            for id_ in members:
                etree.SubElement(controller, "control", {"signalId": id_, "type": "lights"})

    def write_junction(self, junction: etree._Element, starts: Iterable[int]) -> None:
        """Adds the controllers of the lights at the ends of the lanes that lead into a junction."""
        found = {int(self._signalled.groups[lane]) for lane in starts}
        for light in sorted(found & self._members.keys()):
            sequence = str(self._signalled.phases[light])
            attributes = {"id": f"c{light}", "type": "lights", "sequence": sequence}
            etree.SubElement(junction, "controller", attributes)


def _signal(signals: etree._Element, control: Control, s: float) -> etree._Element:
    dynamic, country, kind = _TYPES[control]
    height, width = _LIGHT if control is Control.SIGNALS else _SIGN
    signal = etree.SubElement(
        signals,
        "signal",
        {
            "s": f"{s:.9g}",
            "t": "0",
            "id": "",
            "name": control.name.lower(),
            "dynamic": dynamic,
            "orientation": "+",
            "zOffset": f"{_POLE}",
            "country": country,
            "type": kind,
            "subtype": "-1",
            "height": str(height),
            "width": str(width),
        },
    )
    if country == "DE":
        signal.set("countryRevision", _REVISION)
    return signal


def write_priorities(
    junction: etree._Element, starts: Sequence[int], lanes: Sequence[Lane], owners: Sequence[int]
) -> None:
    """Adds the incoming roads of a junction that go first, and those that give way to them.

    Args:
        junction: receives them.
        starts: the lanes that lead into the junction.
        lanes: all lanes.
        owners: the road (n,) of each lane.
    """
    waiting = {Control.STOP, Control.GIVE_WAY}
    low = sorted({owners[k] for k in starts if lanes[k].control in waiting})
    high = sorted({owners[k] for k in starts if lanes[k].control is Control.NONE} - set(low))
    for first in high:
        for second in low:
            etree.SubElement(junction, "priority", {"high": str(first), "low": str(second)})
