"""A world in plan: what is known of it before anything has a height.

Nothing here, nor in the steps that make it, needs SciPy, which takes longer to import than a
town's map to read: the one is done while the other is.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from autosim.arrays import Floats
from autosim.config.descriptions import DrivingSide
from autosim.config.diagnostics import Diagnostics
from autosim.world.geometry.blocks import BlockGrid
from autosim.world.geometry.extent import Box
from autosim.world.geometry.projection import Projection
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.osm.areas import Area
from autosim.world.osm.osm_data import OsmData
from autosim.world.pipeline.inputs import Inputs
from autosim.world.streets.junction_rules import JunctionRules
from autosim.world.streets.streets import Street

_WORTH_PROCESSES = 400


@dataclass(slots=True)
class Layout:
    """The map, its streets and lanes; each step sets the fields that are its own.

    `diagnostics` are the faults found; with an error among them
    the steps that follow were not taken. `points` (n, 2) are the places of the map's nodes in W
    [m]; to `window` streets are cut, and `box` is that of the ground.
    """

    inputs: Inputs
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    left_out: Counter[str] = field(default_factory=Counter)
    data: OsmData = field(init=False)
    projection: Projection = field(init=False)
    points: Floats = field(init=False)
    side: DrivingSide = field(init=False)
    window: Box = field(init=False)
    box: Box = field(init=False)
    blocks: BlockGrid = field(init=False)
    streets: list[Street] = field(init=False)
    building_areas: list[Area] = field(init=False)
    rules: JunctionRules = field(init=False)
    plan: LanePlan = field(init=False)

    @property
    def is_busy(self) -> bool:
        """Whether there are so many lanes that the work takes longer than to start processes."""
        return len(self.plan.drafts) > _WORTH_PROCESSES


MakeLayout = Callable[[], Layout]
"""Gives the world in plan."""
