"""Paints the lines at which vehicles wait: solid stop lines and broken give-way lines."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.markings.patches import Patches, oblongs
from autosim.world.markings.traits import StreetTraits


@dataclass(frozen=True, slots=True)
class _Paint:
    """Sizes of the lines, about those of European streets."""

    stop_thickness: float = 0.4
    """Thickness [m] of a stop line along the lane."""

    give_way_thickness: float = 0.3
    """Thickness [m] of a give-way line along the lane."""

    dash: float = 0.5
    """Length [m] across the lane of a dash of a give-way line."""

    period: float = 0.85
    """Distance [m] from dash to dash."""

    from_edge: float = 0.2
    """Distance [m] that a line keeps from the edges of its lane."""


_PAINT = _Paint()

_SHORTEST_LANE = 9.0
"""Length [m] of the shortest lane with a line: shorter ones lie within wide junctions."""

_LEAST_RANK = 6
"""Rank of the last class of streets with these lines where it has no other: residential streets."""


@dataclass(frozen=True, slots=True)
class WaitingLines:
    """Lanes (n,) with a line at `stations` (n,) [m]; `solid` (n,) tells stop lines."""

    lanes: Integers
    """Numbers of the lanes."""
    stations: Floats
    solid: Booleans


def waiting_lines(network: RoadNetwork, traits: StreetTraits) -> WaitingLines:
    """Finds the lines: solid where vehicles stop, broken where they give way.

    Streets without lane lines have them too; service roads and tracks do not.
    """
    controls = network.traffic.controls
    lanes = np.flatnonzero(
        (controls != Control.NONE)
        & ~traits.roundabouts[network.roads]
        & (traits.painted[network.roads] | (traits.ranks[network.roads] <= _LEAST_RANK))
        & (network.lengths() >= _SHORTEST_LANE)
    )
    return WaitingLines(
        lanes, network.traffic.stop_lines[lanes], controls[lanes] != Control.GIVE_WAY
    )


def waiting_patches(waiting: WaitingLines, network: RoadNetwork) -> Patches:
    """Paints bars across lanes, broken ones where vehicles give way."""
    lanes = [network.lanes[k] for k in waiting.lanes.tolist()]
    places = np.array(
        [lane.position(s) for lane, s in zip(lanes, waiting.stations.tolist(), strict=True)]
    ).reshape(-1, 3)
    headings = np.array(
        [lane.heading(s) for lane, s in zip(lanes, waiting.stations.tolist(), strict=True)]
    )
    widths = network.widths[waiting.lanes] - 2.0 * _PAINT.from_edge
    solid, broken = waiting.solid, ~waiting.solid
    bars = oblongs(
        places[solid], headings[solid], length=_PAINT.stop_thickness, width=widths[solid]
    )
    counts = np.maximum((widths[broken] // _PAINT.period).astype(np.int64), 1)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    across = ((k - (counts[of] - 1) / 2.0) * _PAINT.period)[:, None]
    angles = headings[broken][of]
    left = np.column_stack([-portable.sin(angles), portable.cos(angles), 0.0 * angles])
    dashes = oblongs(
        places[broken][of] + across * left,
        angles,
        length=_PAINT.give_way_thickness,
        width=_PAINT.dash,
    )
    return Patches.of(np.concatenate([bars, dashes]), Surface.PAINT)
