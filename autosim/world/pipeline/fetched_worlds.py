"""Worlds and compiled maps from servers, kept apart from everything of the user's own.

A fetched map is identified by the digest of its content, which the client computes, and is read for
fetched worlds alone. So whatever a server sends, the user's own runs never use it.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from autosim.world.pipeline.cache import ENDING, cache_directory

MOST_KEPT_BYTES = 8 << 30
"""Number of bytes that are kept of all that servers have sent: worlds used longest ago
go first."""


class FetchedWorlds:
    """The folder of fetched worlds. Only this user may look into it.

    Args:
        cache: where the user's own compiled maps are; beside it fetched worlds lie.
    """

    def __init__(self, cache: Path | None = None) -> None:
        self.folder = _folder(cache)
        self.worlds = self.folder / "worlds"
        self.maps = self.folder / "maps"

    def prepare(self) -> None:
        """Makes the folders.

        Raises:
            OSError: it cannot be.
        """
        for folder in (self.folder, self.worlds, self.maps):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def map_file(self, content: str) -> Path:
        """Path of the map with this SHA-256 (hex) of its content, present or not."""
        return self.maps / (content + ENDING)

    def link_map(self, world: Path, content: str) -> None:
        """Links the fetched world in this folder to the map with this digest of its content."""
        link = _link_of(world)
        with TemporaryDirectory(dir=self.folder, prefix=".") as part:
            new = Path(part) / link.name
            new.symlink_to(os.path.relpath(self.map_file(content), link.parent))
            new.replace(link)

    def trim(self, most: int = MOST_KEPT_BYTES, *, kept: Path) -> None:
        """Forgets the worlds used longest ago while all take more than `most` bytes.

        Args:
            most: how much may stay.
            kept: the folder of a world that stays whatever it takes, with its map.
        """
        with suppress(OSError):
            os.utime(kept)
        worlds = sorted(_folders(self.worlds), key=_last_use)
        for world in worlds:
            if world == kept or self._size() <= most:
                continue
            shutil.rmtree(world, ignore_errors=True)
            _link_of(world).unlink(missing_ok=True)
            self._drop_maps()

    def _drop_maps(self) -> None:
        """Forgets the maps that no world has."""
        used = {link.resolve() for link in self.worlds.glob(f"*{ENDING}")}
        for file in self.maps.glob(f"*{ENDING}"):
            if file.resolve() not in used:
                file.unlink(missing_ok=True)

    def _size(self) -> int:
        files = (each for each in self.folder.rglob("*") if not each.is_symlink())
        return sum(each.stat().st_size for each in files if each.is_file())


def is_fetched(file: Path) -> bool:
    """Whether a server has sent this file."""
    with suppress(OSError, RuntimeError):
        return file.resolve().is_relative_to(_folder(None).resolve())
    return False


def fetched_map(file: Path, cache: Path | None = None) -> Path | None:
    """The map that came with the fetched world to which `file` belongs; None where there is none.

    Args:
        file: of the world; one that is the user's own has no fetched map.
        cache: as `FetchedWorlds` takes it.
    """
    with suppress(OSError, RuntimeError):
        worlds = FetchedWorlds(cache).worlds.resolve()
        place = file.resolve()
        if place.is_relative_to(worlds) and place != worlds:
            link = _link_of(worlds / place.relative_to(worlds).parts[0])
            return link.resolve(strict=True)
    return None


def _folder(cache: Path | None) -> Path:
    return (cache or cache_directory()).parent / "served"


def _link_of(world: Path) -> Path:
    return world.with_name(world.name + ENDING)


def _folders(parent: Path) -> Iterable[Path]:
    return [each for each in parent.iterdir() if each.is_dir() and not each.is_symlink()]


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
