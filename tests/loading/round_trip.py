"""Worlds that are written to a file and read again."""

from dataclasses import replace
from pathlib import Path

from autosim.config.files.lookup import roots_of_new
from autosim.loading.loader import load_world
from autosim.loading.world_writer import write_world


def written_and_read(world, folder: Path):
    file = folder / "saved.xml"
    file.write_text(write_world(world, roots_of_new(file)), encoding="utf-8")
    found = load_world(file)
    # They differ in the file that they come from, which is one of those that are compared.
    return replace(found, source=world.source, files=world.files)
