"""Writes OpenDRIVE signals and signs, and which roads of a junction go first.

Traffic lights have the type that ASAM OpenDRIVE 1.7 itself defines (country "OpenDRIVE", 1000001).
Signs have the types of the German catalogue (country "DE"), as in the examples of the standard.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from lxml import etree

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


def write_signals(road: etree._Element, lanes: Sequence[Lane], number: int) -> None:
    """Adds the signals and signs of a road.

    Args:
        road: receives them.
        lanes: its lanes from left to right; their ids are -1, -2, ….
        number: the road's id.
    """
    signals = etree.SubElement(road, "signals")
    numbered = list(enumerate(lanes, start=1))
    for control, group in groupby(numbered, key=lambda each: each[1].control):
        members = list(group)
        if control in _TYPES:
            signal = _signal(signals, control, members[0][1].stop_line or 0.0)
            signal.set("id", f"{number}.{members[0][0]}")
            # Right of all lanes; the line is the middle of the first one.
            right = sum(lane.width for lane in lanes) - lanes[0].width / 2.0
            signal.set("t", f"{-right:.9g}")
            spans = {"fromLane": str(-members[-1][0]), "toLane": str(-members[0][0])}
            etree.SubElement(signal, "validity", spans)


def _signal(signals: etree._Element, control: Control, s: float) -> etree._Element:
    dynamic, country, kind = _TYPES[control]
    return etree.SubElement(
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
        },
    )


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
