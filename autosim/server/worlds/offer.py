"""The files of a world, and its compiled map, for clients that do not have them."""

import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autosim.config.descriptions import MapSetup, ModelReference, WorldDescription
from autosim.config.diagnostics import name_as_text
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.loading.world_writer import roots_of, write_world, written_files, written_name
from autosim.server.server_errors import WorldError
from autosim.world.compiled.compiled_file import WorldFileError, load_compiled_world
from autosim.world.pipeline.cache import compiled_file

PART_BYTES = 256 * 1024
"""Number of bytes of a file that travel in one message: far below the limit of gRPC, and long
enough that messages cost little."""


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """A file that clients may read; `name` is what the world's files call it.

    `content` is where it lies, or itself where it lies nowhere.
    """

    name: str
    content: Path | bytes
    digest: str
    """SHA-256 (hex) of the content."""
    size: int
    """Length of the content [bytes]."""

    def parts(self) -> Iterator[bytes]:
        """The content, piece by piece.

        Raises:
            OSError: it can no longer be read.
        """
        content = self.content
        with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
            while part := file.read(PART_BYTES):
                yield part


@dataclass(frozen=True, slots=True)
class Offer:
    """All files that clients may read. User programs are not among them, so clients run no code.

    `world` is the file to open, "" if the world has none; `compiled` is None if the compiled
    map is not on disk.
    """

    world: str
    files: tuple[OfferedFile, ...]
    compiled: OfferedFile | None

    def find(self, name: str) -> OfferedFile | None:
        """The file of that name."""
        own = (*self.files, *([self.compiled] if self.compiled else []))
        return next((file for file in own if file.name == name), None)


def make_offer(world: WorldDescription, digest: str) -> Offer:
    """The files of `world`, whose compiled map has this digest. Reads them all once.

    XML files are offered as they were when the world was read, even if they have changed since.

    Raises:
        OSError: one of them cannot be read any longer.
        WorldError: the map's file has changed since the world was read.
    """
    if not world.source.is_file():
        return Offer("", (), None)
    roots = roots_of(world)
    compiled = compiled_file(digest)
    world_file = offered_world_file(world, roots)
    main = world_file.name
    shared = [name for name, _ in world.files if name != main]
    files = {main: world_file}
    for name in [*shared, *_models(world, compiled)]:
        files |= {each.name: _as_read(each, world) for each in _below(name, roots)}
    _require_same_map(world, files)
    files |= {each.name: each for each in _pictures(world, roots)}
    kept = None if compiled is None else _offered(compiled.name, compiled)
    return Offer(main, tuple(files.values()), kept)


def offered_world_file(world: WorldDescription, roots: Roots) -> OfferedFile:
    """The world's own file; a newly written one if the world has changed since it was read."""
    with suppress(PathError):
        if world.files == written_files(world, roots):
            return _text(written_name(world), write_world(world, roots).encode())
    return _as_read(_offered(name_as_text(world.source), world.source), world)


def _require_same_map(world: WorldDescription, files: dict[str, OfferedFile]) -> None:
    osm = world.terrain.osm.resolve()
    for name, digest in world.files:
        file = files.get(name)
        if file is not None and file.content == osm and file.digest != digest:
            raise WorldError(
                f"the map '{name}' has changed since the server loaded it, and can no longer be "
                "downloaded: load the world again (autosim ctl load)"
            )


def _models(world: WorldDescription, compiled: Path | None) -> list[str]:
    """The folders of all models that can be seen, each once."""
    robots = [placed.robot for placed in world.robots]
    parts = [part.model for robot in robots for part in robot.parts]
    devices = [each for robot in robots for each in robot.devices]
    seen = [getattr(each, "model", None) for each in devices]
    objects = [thing.body.model for thing in world.objects]
    named = {model.path for model in (*parts, *seen, *objects) if isinstance(model, ModelReference)}
    if compiled is not None:
        with suppress(WorldFileError, OSError):
            named |= {house.model for house in load_compiled_world(compiled).houses if house.model}
    return sorted(named)


def _pictures(world: WorldDescription, roots: Roots) -> Iterator[OfferedFile]:
    """The pictures that the map set-up names; those in its folder stay in its folder."""
    setup = world.terrain.setup
    if setup.source is None:
        return
    folder = setup.source.resolve().parent
    own = next((name for name, _ in world.files if _is_file(name, setup.source, roots)), "")
    for name in _picture_names(setup):
        beside = (PurePosixPath(own).parent / name).as_posix()
        found = list(_below(name, (folder,), offered_as=beside))
        yield from found or _below(name, roots)


def _picture_names(setup: MapSetup) -> list[str]:
    terrain = [setup.terrain_texture] if setup.terrain_texture else []
    sky = [setup.sky_box.path] if setup.sky_box is not None else []
    return [*(path for _, path in setup.road_textures), *terrain, *sky]


def _is_file(name: str, path: Path, roots: Roots) -> bool:
    with suppress(PathError):
        return find_file(name, roots) == path.resolve()
    return False


def _below(name: str, roots: Roots, *, offered_as: str = "") -> Iterable[OfferedFile]:
    """The file of that name, or all files of that folder; none where there is nothing."""
    try:
        path = find_file(name, roots)
    except PathError:
        return []
    shown = offered_as or name
    if path.is_file():
        return [_offered(shown, path)]
    inside = sorted(each for each in path.rglob("*") if each.is_file() and not each.is_symlink())
    return [_offered(f"{shown}/{each.relative_to(path).as_posix()}", each) for each in inside]


def _as_read(file: OfferedFile, world: WorldDescription) -> OfferedFile:
    """`file` as it was when the world was read, where that is kept."""
    text = world.text_of(file.content) if isinstance(file.content, Path) else None
    return file if text is None else _text(file.name, text)


def _text(name: str, text: bytes) -> OfferedFile:
    return OfferedFile(name, text, hashlib.sha256(text).hexdigest(), len(text))


def _offered(name: str, path: Path) -> OfferedFile:
    return OfferedFile(name, path, file_digest(path), path.stat().st_size)
