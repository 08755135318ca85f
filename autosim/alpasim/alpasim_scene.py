"""A world as a scene of AlpaSim: its ground, what is solid in it, and the objects that move."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autosim.alpasim.service_errors import InvalidRequestError, UnknownNameError
from autosim.alpasim.wire import common_pb2 as common
from autosim.arrays import Floats
from autosim.config.descriptions import WorldDescription
from autosim.rays.ray_scene import RayScene
from autosim.traffic.scenarios.recorded.recorded_scenario import kind_of
from autosim.version import __version__
from autosim.world.compiled.compiled_world import CompiledWorld

EGO = "EGO"
"""Identifier of the vehicle that is driven."""

ANY_SCENE = "*"
"""Identifier by which AlpaSim means any scene."""

API_VERSION = (0, 54, 0)
"""Version of AlpaSim's interface (alpasim_grpc) whose files are in `proto/`."""

_LABELS = {
    "automobile": "car",
    "other_vehicle": "car",
    "heavy_truck": "truck",
    "trailer": "truck",
    "train_or_tram_car": "bus",
    "rider": "bicycle",
    "stroller": "person",
}
"""Kinds of logs by NVIDIA's labels, where these differ."""

_MAX_SIZE = 100.0
"""Size [m] of a box at most."""

_REACH = 100.0
"""Distance [m] above and below a point within which the ground is searched."""


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """The size of an object (length, width, height) [m], and its kind in AutoSim."""

    size: tuple[float, float, float]
    """Of its bounding box."""
    kind: str


DEFAULT_SHAPE = ObjectShape((4.65, 1.81, 1.45), "saloon")
"""The shape of an object that no session of traffic has described."""


class AlpasimScene:
    """One world, for all services.

    Args:
        world: its description.
        compiled: its map.

    `shapes`: of the objects that sessions of traffic have described, by their identifiers.
    """

    def __init__(self, world: WorldDescription, compiled: CompiledWorld) -> None:
        self.world, self.compiled = world, compiled
        self.shapes: dict[str, ObjectShape] = {}

    @property
    def name(self) -> str:
        """Identifier of the scene: the name of the world."""
        return self.world.name

    @cached_property
    def solids(self) -> RayScene:
        """All that a ray of a lidar meets, except for objects."""
        return RayScene.of(self.compiled)

    @cached_property
    def _ground(self) -> RayScene:
        return RayScene((self.compiled.ground, self.compiled.structures))

    def require(self, name: str) -> None:
        """Requires that `name` is this scene.

        Raises:
            UnknownNameError: it is another one.
        """
        if name not in (self.name, ANY_SCENE):
            raise UnknownNameError(f"there is no scene '{name}'; this server has '{self.name}'")

    def ground_near(self, points: Floats) -> Floats:
        """Heights (n,) [m] of the ground nearest to points (n, 3), above or below; NaN for none."""
        ways = np.array([[0.0, 0.0, -_REACH], [0.0, 0.0, _REACH]])
        origins = np.repeat(points, 2, axis=0)
        ends = origins + np.tile(ways, (len(points), 1))
        shares, _, triangles = self._ground.cast(origins, ends)
        shares = np.where(triangles >= 0, shares, np.inf).reshape(-1, 2)
        nearest = shares.argmin(axis=1)
        share = np.take_along_axis(shares, nearest[:, None], axis=1)[:, 0]
        height = points[:, 2] + ways[nearest, 2] * share
        return np.where(np.isfinite(share), height, np.nan)

    def describe(self, name: str, box: common.AABB, label: str) -> None:
        """Notes the shape of an object.

        Raises:
            InvalidRequestError: the box has no size.
        """
        size = (box.size_x, box.size_y, box.size_z)
        if not all(0.0 < each < _MAX_SIZE for each in size):
            raise InvalidRequestError(f"the box of object '{name}' has the size {size}")
        small = label.lower()
        kind = kind_of(_LABELS.get(small, small), size[0], size[1]) or DEFAULT_SHAPE.kind
        self.shapes[name] = ObjectShape(size, kind)

    def shape_of(self, name: str) -> ObjectShape:
        """The shape of an object."""
        return self.shapes.get(name, DEFAULT_SHAPE)

    def forget(self, names: Iterable[str]) -> None:
        """Removes shapes of objects."""
        for name in names:
            self.shapes.pop(name, None)

    def scenes(self) -> common.AvailableScenesReturn:
        """The message with the scenes of this server."""
        return common.AvailableScenesReturn(scene_ids=[self.name])


def version_message() -> common.VersionId:
    """The version of AutoSim, and of AlpaSim's interface that it was written for."""
    major, minor, patch = API_VERSION
    api = common.VersionId.APIVersion(major=major, minor=minor, patch=patch)
    return common.VersionId(
        version_id=f"autosim-{__version__}", git_hash="n/a", grpc_api_version=api
    )
