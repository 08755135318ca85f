"""Inputs of a compiled world, and the digest that identifies it.

Nothing here needs the libraries that compiling needs: a world that is in the cache is found and
read without them.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.config.files.digests import path_digest
from autosim.config.reading.map_kinds import MapKind, map_kind
from autosim.world.geometry.extent import Window

PIPELINE_VERSION = 55
"""Version of the pipeline, a part of a world's digest: raise it when the same inputs come to give
another world."""

_VERSIONS = {MapKind.OPENDRIVE: 3, MapKind.LANELET2: 2, MapKind.COMMONROAD: 2}
"""Versions of the steps that make worlds of other maps than those of OpenStreetMap, as
`PIPELINE_VERSION`."""

_NOT_COMPILED = frozenset(
    {
        "name",
        "source",
        "road_levels_of_detail",
        "road_textures",
        "terrain_texture",
        "texture_repeat",
        "sky_box",
        "tile_size",
        "maximum_lod",
        "terrain_levels_of_detail",
        "layers_of_each_lod",
        "camera_steps_per_tile",
    }
)
"""Fields of a map set-up that no compiled world depends on: clients take them from the set-up's
file. A field that is not named here goes into the digest."""


Progress = Callable[[str, float], None]
"""Called with what is being done and the share of the work that is done (0..1)."""


@dataclass(frozen=True, slots=True)
class WorldInputs:
    """Everything that a compiled world depends on.

    Attributes:
        osm: map file of any kind.
        setup: set-up of the map, None: defaults.
        height_map: picture, tile or folder with heights, None: flat.
        driving_side: side of the road that traffic keeps to, None: by the map.
        window: part of the map to compile, None: all of it.
    """

    osm: Path
    setup: MapSetup | None = None
    height_map: Path | None = None
    driving_side: DrivingSide | None = None
    window: Window | None = None

    @property
    def height_above_terrain(self) -> float:
        """Of streets, from the map set-up [m]."""
        return (self.setup or MapSetup(name="")).height_above_terrain

    @property
    def kerb_height(self) -> float:
        """Of the map set-up [m]."""
        return (self.setup or MapSetup(name="")).kerb_height

    @property
    def kind(self) -> MapKind:
        """Format of the map file."""
        return map_kind(self.osm)

    def digest(self) -> str:
        """SHA-256 of the inputs' contents and of the pipeline's version.

        Raises:
            OSError: a file cannot be read.
        """
        total = hashlib.sha256(f"{PIPELINE_VERSION} {self.driving_side} ".encode())
        total.update(os.fsencode(self.osm.name))
        if (kind := self.kind) in _VERSIONS:
            total.update(f" {kind.value} {_VERSIONS[kind]} ".encode())
        for path in (self.osm, self.height_map):
            total.update(b"-" if path is None else path_digest(path).encode())
        total.update(f"{_setup_text(self.setup)} {self.window}".encode())
        return total.hexdigest()


def _setup_text(setup: MapSetup | None) -> str:
    """The set-up's values that are compiled."""
    if setup is None:
        return ""
    names = [name for name in MapSetup.__dataclass_fields__ if name not in _NOT_COMPILED]
    if not setup.height_above_terrain:
        # Worlds keep the digests that they had before there was such a height.
        names.remove("height_above_terrain")
    return repr([(name, getattr(setup, name)) for name in names])
