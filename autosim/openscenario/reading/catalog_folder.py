"""The catalog files of a scenario."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from autosim.config.reading.xml_reader import UnreadableError, parse_xml, read_bytes

_MAX_FILES = 200
"""Most catalog files that are read for a scenario."""


@dataclass
class CatalogFolder:
    """The catalog files that a scenario names, read at their first use.

    `places` are files and folders; `entries` are elements by catalog and entry, with their files.
    """

    places: list[Path] = field(default_factory=list)
    entries: dict[tuple[str, str], tuple[etree._Element, Path]] | None = None
    known: set[str] = field(default_factory=set)
    """Names of all catalogs."""

    def find(self, catalog: str, entry: str) -> tuple[etree._Element, Path] | None:
        """The element of an entry, and the file that holds it."""
        if self.entries is None:
            self.entries = {}
            for path in self._files():
                self._read(path)
        return self.entries.get((catalog, entry))

    def _files(self) -> Iterator[Path]:
        count = 0
        for place in self.places:
            files = [place] if place.is_file() else sorted(place.glob("*.xosc"))
            for path in files:
                count += 1
                if count > _MAX_FILES:
                    return
                yield path

    def _read(self, path: Path) -> None:
        try:
            root = parse_xml(read_bytes(path))
        except UnreadableError:
            return
        for catalog in root.iter():
            if not isinstance(catalog.tag, str) or catalog.tag.rpartition("}")[2] != "Catalog":
                continue
            name = catalog.get("name") or ""
            self.known.update((name, path.stem))
            for entry in catalog:
                item = entry.get("name") or ""
                if self.entries is not None and isinstance(entry.tag, str):
                    for key in (name, path.stem):
                        self.entries.setdefault((key, item), (entry, path))
