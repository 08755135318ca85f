"""Lanes in plan, before they have heights."""

from collections import Counter
from dataclasses import dataclass, field

from autosim.arrays import Floats
from autosim.world.streets.street_finding import WayPart
from autosim.world.streets.street_profiles import StreetProfile


@dataclass(slots=True)
class LaneDraft:
    """A lane or connector in plan. `points` (n, 2) [m] in W, `width` [m].

    A connector leads from street `origin` into `street`; for a lane the two are the same.
    `is_forward`: a lane leads along its street's points, not against them. `parts`: the parts of
    OSM ways under a lane, in driving direction. `passed`: the streets past whose lanes a connector
    leads, each with the direction of the lane (True along the street's points).

    Attributes:
        profile: cross-section of the street.
        is_connector: whether it leads through a junction.
        successors: numbers of the drafts that follow.
    """

    street: int
    origin: int
    points: Floats
    width: float
    profile: StreetProfile
    is_connector: bool
    successors: list[int] = field(default_factory=list)
    is_forward: bool = True
    parts: tuple[WayPart, ...] = ()
    passed: tuple[tuple[int, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class TurningHead:
    """A round end of a street on which vehicles turn: `centre` (2,) and `radius` [m]."""

    street: int
    centre: Floats
    radius: float


@dataclass(slots=True)
class LanePlan:
    """All lanes and connectors of a map, and the turning heads that they need.

    `left_out` counts what is left out, by reason.
    `barred_paths`: sequences of streets that no route may take in addition to those of the map's
    restrictions, because connectors lead past some of the streets of these.
    """

    drafts: list[LaneDraft] = field(default_factory=list)
    """Lanes and connectors, numbered by their place."""
    turning_heads: list[TurningHead] = field(default_factory=list)
    """At the ends of dead-end streets."""
    left_out: Counter[str] = field(default_factory=Counter)
    barred_paths: list[tuple[int, ...]] = field(default_factory=list)
