"""Files of a world for viewers: made when they are first wanted, and kept in the user's cache.

A file's address has a digest of all that it is made of, so that a viewer may keep it for ever.
"""

import gzip
import hashlib
import json
import os
import shutil
import tempfile
import zlib
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from autosim.client.gltf import manifest as parts
from autosim.client.gltf.gltf_models import object_model, robot_model, traffic_model
from autosim.client.gltf.instance_files import instance_file
from autosim.client.gltf.material_values import Json
from autosim.client.gltf.tile_files import TileFiles, beyond_file, tile_file
from autosim.client.models.model_files import ModelError
from autosim.client.models.model_library import ModelLibrary, find_levels
from autosim.client.traffic.drawn_models import PEOPLE_CHOICES
from autosim.client.traffic.people_rigs import people_pieces
from autosim.client.traffic.rigs import LEVELS, RigPiece, vehicle_pieces
from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.config.files.lookup import PathError, Roots, locate
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import TileGrid

_DIGITS = 20
"""Number of hexadecimal digits of a digest in an address."""

MAX_WORLDS = 24
"""Number of worlds whose files are kept: some ten megabytes for each town."""


class ServedFile(NamedTuple):
    """A file as it is served.

    `content` is compressed by gzip; `digest` (hex) identifies it, as an ETag; `media_type` is that
    of the uncompressed content.
    """

    content: bytes
    digest: str
    media_type: str = "model/gltf-binary"


class WorldFiles:
    """Files of a world by their address; may be used by several threads.

    Args:
        world: its robots, objects and sky.
        compiled: the place, in tiles.
        folder: where files are kept; None: in the user's cache.
    """

    def __init__(
        self, world: WorldDescription, compiled: CompiledWorld, *, folder: Path | None = None
    ) -> None:
        self._world, self._compiled = world, compiled
        self._folder = folder if folder is not None else cache_folder()
        roots = locate(world.source)[1]
        self._library = ModelLibrary(roots)
        self._lock = RLock()
        self._models: dict[str, ServedFile] = {}
        self._digest = _digest_of(compiled, roots)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The models that could not be shown so far, and why."""
        return tuple(self._library.warnings)

    @cached_property
    def manifest(self) -> Json:
        """The manifest, see `autosim.client.gltf.manifest`."""
        with self._lock:
            found = self._world_part()
            found["sky"] = parts.sky_part(self._world.graphics.sky)
            found["models"] = {
                "robots": {each.name: self._robot(each.robot) for each in self._world.robots},
                "objects": {
                    each.name: {
                        "uri": self._model(object_model(each, self._library)),
                        "node": each.body.name,
                    }
                    for each in self._world.objects
                },
                "vehicles": parts.vehicle_rows(self._levels(vehicle_pieces(self._library))),
                "people": parts.people_rows(self._levels(people_pieces(self._library))),
                "people_choices": PEOPLE_CHOICES.tolist(),
            }
            return found

    def manifest_file(self) -> ServedFile:
        """The manifest as JSON."""
        text = json.dumps(self.manifest, ensure_ascii=False, separators=(",", ":")).encode()
        return _served(text, "application/json")

    def file(self, uri: str) -> ServedFile | None:
        """The file at an address of the manifest; None for any other address."""
        folder, _, name = uri.removeprefix("/").rpartition("/")
        if folder == "models":
            with self._lock:
                _ = self.manifest
                return self._models.get(name.removesuffix(".glb"))
        if folder != f"world/{self._digest}" or name not in self._names:
            return None
        return self._kept(name)

    @cached_property
    def _names(self) -> dict[str, tuple[int, str]]:
        """The tile and level of each file of the world; tile -1: what is not of one tile."""
        names = {"instances.glb": (-1, "instances"), "beyond.glb": (-1, "beyond")}
        for tile in range(TileGrid.of(self._compiled.bounds).count):
            for level in ("near", "far"):
                names[f"tile-{tile}-{level}.glb"] = (tile, level)
        return names

    @cached_property
    def _tiles(self) -> TileFiles:
        return TileFiles(self._compiled, self._library)

    def _world_part(self) -> Json:
        """The manifest without what robots change; making it takes kernels of traffic."""
        path = self._folder / self._digest / "world.json.gz"
        _forget_oldest(self._folder, kept=path.parent)
        kept = _read_whole(path)
        if kept is not None:
            found: Json = json.loads(gzip.decompress(kept))
            return found
        found = parts.world_part(self._compiled, f"/world/{self._digest}")
        _write_whole(path, gzip.compress(json.dumps(found).encode(), 6, mtime=0))
        return found

    def _kept(self, name: str) -> ServedFile:
        """A file out of the cache, made and put there if it is not in it."""
        path = self._folder / self._digest / f"{name}.gz"
        kept = _read_whole(path)
        if kept is not None:
            return ServedFile(kept, _etag(f"{self._digest}/{name}"))
        with self._lock:
            content = gzip.compress(self._made(name), 6, mtime=0)
        _write_whole(path, content)
        return ServedFile(content, _etag(f"{self._digest}/{name}"))

    def _made(self, name: str) -> bytes:
        tile, level = self._names[name]
        attribution = self._compiled.attribution
        if level == "beyond":
            return beyond_file(self._compiled)
        if tile < 0:
            return instance_file(self._compiled.props, attribution=attribution)
        named = self._tiles.near(tile) if level == "near" else self._tiles.far(tile)
        return tile_file(named, attribution=attribution)

    def _robot(self, robot: RobotDescription) -> Json:
        model = robot_model(robot, self._library)
        return {
            "uri": self._model(model.content),
            "bodies": model.bodies,
            "wheels": model.wheels,
        }

    def _levels(self, kinds: list[list[RigPiece]]) -> list[list[str]]:
        """The addresses of the levels of detail of each kind."""
        found = []
        for pieces in kinds:
            contents = [traffic_model(pieces, level) for level in range(LEVELS)]
            found.append([self._model(each) for each in contents if each is not None])
        return found

    def _model(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
        if digest not in self._models:
            self._models[digest] = _served(content)
        return f"/models/{digest}.glb"


def cache_folder() -> Path:
    """The folder of exported worlds (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "autosim" / "gltf"


def _served(content: bytes, media_type: str = "model/gltf-binary") -> ServedFile:
    return ServedFile(
        gzip.compress(content, 6, mtime=0), hashlib.sha256(content).hexdigest(), media_type
    )


def _etag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read_whole(path: Path) -> bytes | None:
    """A compressed file; None where there is none, or where its check sum is wrong."""
    try:
        content = path.read_bytes()
        gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None
    return content


def _write_whole(path: Path, content: bytes) -> None:
    """Writes a file as a whole or not at all; without a cache files are only made more often."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.replace(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError:
        return


def _forget_oldest(folder: Path, *, kept: Path) -> None:
    """Removes the files of the worlds used longest ago; those of `kept` count as used now."""
    with suppress(OSError):
        os.utime(kept)
    with suppress(OSError):
        worlds = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime)
        for world in worlds[:-MAX_WORLDS]:
            if world != kept:
                shutil.rmtree(world, ignore_errors=True)


def _digest_of(compiled: CompiledWorld, roots: Roots) -> str:
    """A digest of all that tiles are made of: the world, models of houses, and this code."""
    digest = hashlib.sha256(compiled.digest.encode())
    client = Path(__file__).parents[1]
    for package in ("geometry", "gltf", "materials", "models", "tiles", "traffic"):
        for file in sorted((client / package).rglob("*.py")):
            digest.update(file.read_bytes())
    for path in sorted({house.model for house in compiled.houses if house.model}):
        with suppress(ModelError, PathError, OSError):
            for level in find_levels(path, roots):
                for file in sorted(level.parent.iterdir()):
                    digest.update(f"{path}/{file.name}".encode())
                    digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()[:_DIGITS]
