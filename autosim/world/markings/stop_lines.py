"""Lines at which vehicles wait before a junction: solid stop lines and broken give-way lines."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.traffic_arrays import Control
from autosim.world.markings.patches import Patches, oblongs
from autosim.world.markings.traits import StreetTraits

_SHORTEST_LANE = 9.0
_THICK, _GIVE_WAY_THICK = 0.4, 0.3
_GIVE_WAY_DASH, _GIVE_WAY_PERIOD = 0.5, 0.85
_FROM_EDGE = 0.2
_LEAST_RANK = 6


@dataclass(frozen=True, slots=True)
class WaitingLines:
    """Lanes (n,) with a line before their end, at `stations` (n,) [m]; `solid` (n,)."""

    lanes: Integers
    stations: Floats
    solid: Booleans


def waiting_lines(network: RoadNetwork, traits: StreetTraits) -> WaitingLines:
    """Where a line tells vehicles to wait: solid where they stop, broken where they give way.

    Streets without markings of their own have them too, but not yards and tracks.
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
    """Bars across lanes; broken ones where vehicles give way."""
    lanes = [network.lanes[k] for k in waiting.lanes.tolist()]
    places = np.array(
        [lane.position(s) for lane, s in zip(lanes, waiting.stations.tolist(), strict=True)]
    ).reshape(-1, 3)
    headings = np.array(
        [lane.heading(s) for lane, s in zip(lanes, waiting.stations.tolist(), strict=True)]
    )
    widths = network.widths[waiting.lanes] - 2.0 * _FROM_EDGE
    solid, broken = waiting.solid, ~waiting.solid
    bars = oblongs(places[solid], headings[solid], length=_THICK, width=widths[solid])
    counts = np.maximum((widths[broken] // _GIVE_WAY_PERIOD).astype(np.int64), 1)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    across = ((k - (counts[of] - 1) / 2.0) * _GIVE_WAY_PERIOD)[:, None]
    angles = headings[broken][of]
    left = np.column_stack([-portable.sin(angles), portable.cos(angles), 0.0 * angles])
    dashes = oblongs(
        places[broken][of] + across * left, angles, length=_GIVE_WAY_THICK, width=_GIVE_WAY_DASH
    )
    return Patches.of(np.concatenate([bars, dashes]), Surface.PAINT)
