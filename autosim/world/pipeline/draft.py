"""A world while it is being made."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Bytes, Floats
from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.world.buildings.buildings import BuiltBlock, Colours
from autosim.world.compiled.compiled import Building
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh
from autosim.world.ground.block_partition import BlockPartition, GroundCover, GroundStreets
from autosim.world.ground.ground import Ground
from autosim.world.ground.ground_friction import Frictions
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.levels.elevation import Heights
from autosim.world.pipeline.inputs import Inputs
from autosim.world.pipeline.layout import Layout, MakeLayout
from autosim.world.pipeline.workers import Begun
from autosim.world.scenery.furnishing import Scenery
from autosim.world.streets.streets import Street
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.carriageways import StreetMap
from autosim.world.traffic.lane_heights import FlatNetwork
from autosim.world.validation.accounting import Account
from autosim.world.validation.invariants import Finding

Approaches = Bytes


@dataclass(slots=True)
class Draft:
    """What the steps of the pipeline have made so far; each sets the fields that are its own.

    `processes`: how many may work at once; `lay_out` gives the world in plan, `layout`; `advance`:
    to be called with the share of the step that is done (0..1); `beside` ends what is made beside
    the steps. `streets` and `plan` are those of the layout, with the levels and in the room that
    heights leave them. `street_layers` lay the streets on the ground of each block; they need no
    heights, and `begun_streets` are those that others do beside. `polygons` are of all buildings;
    `ground_streets` and `lands`, which are large, are of each block, and go when nothing needs
    them; `no_build_area`, where in each block no building may stand, stays. `made_beside`
    waits for the buildings of all blocks, and the account of the map. `floors` is of the ground,
    which comes first, and the floors of bridges and tunnels; `approaches` (n,) are the `Control` of
    each lane at its junction.
    """

    inputs: Inputs
    diagnostics: Diagnostics
    processes: int
    lay_out: MakeLayout
    beside: ExitStack = field(default_factory=ExitStack)
    advance: Callable[[float], None] = lambda share: None
    left_out: Counter[str] = field(default_factory=Counter)
    layout: Layout = field(init=False)
    streets: list[Street] = field(init=False)
    plan: LanePlan = field(init=False)
    heights: Heights = field(init=False)
    town: StreetMap = field(init=False)
    street_layers: Sequence[Callable[[], GroundStreets]] = field(init=False)
    begun_streets: Begun[GroundStreets] = field(init=False)
    lanes: FlatNetwork = field(init=False)
    decks: list[Deck] = field(init=False)
    ground_streets: list[GroundStreets] = field(init=False)
    cover: GroundCover = field(init=False)
    lands: list[BlockPartition] = field(init=False)
    no_build_area: list[BaseGeometry] = field(init=False)
    structures: Mesh = field(init=False)
    ground: Ground = field(init=False)
    made_beside: Callable[[], list[BuiltBlock | Account]] = field(init=False)
    houses: list[Building] = field(init=False)
    polygons: list[BaseGeometry] = field(init=False)
    buildings: Mesh = field(init=False)
    building_tints: Colours = field(init=False)
    building_spans: Floats = field(init=False)
    is_raised: Booleans = field(init=False)
    house_boxes: Mesh = field(init=False)
    markings: Mesh = field(init=False)
    scenery: Scenery = field(init=False)
    floors: GroundIndex = field(init=False)
    roads: RoadNetwork = field(init=False)
    approaches: Approaches = field(init=False)
    ground_friction: Frictions = field(init=False)
    account: Account = field(init=False)
    findings: tuple[Finding, ...] = ()

    @property
    def kerb_height(self) -> float:
        """Of the map set-up [m]."""
        return (self.inputs.setup or MapSetup(name="")).kerb_height

    @property
    def crew(self) -> int:
        """How many processes share the work."""
        return self.processes if self.layout.is_busy or self.layout.blocks.count > 1 else 1
