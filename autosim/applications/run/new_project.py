"""Writes a project: a folder with a world, a robot, a program and a test, all of which run."""

import keyword
import re
from pathlib import Path
from string import Template

from autosim.applications.common.files import write_whole
from autosim.config.files.lookup import find_file, search_roots
from autosim.errors import UserError

_TEMPLATES = Path(__file__).parent / "project"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ROBOT = "robots/impreza.xml"

_FILES = {
    "README.md": "README.md",
    "worlds/$name.xml": "world.xml",
    "worlds/$name/setup.xml": "setup.xml",
    "worlds/$name/$name.osm": "town.osm",
    "userprograms/$name.py": "program.txt",
    "tests/test_$name.py": "test.txt",
}
"""What is written, and the template that it is made from."""


def new_project(folder: Path) -> list[Path]:
    """Writes a project to `folder`, which is made; its name is that of all that is in it.

    Returns:
        the files.

    Raises:
        UserError: the name cannot be used, there is something already, or nothing can be written.
    """
    name = folder.name
    check_name(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"there is already something at '{folder}': nothing was written")
    texts = {
        _fill(path, name): _fill((_TEMPLATES / template).read_text(encoding="utf-8"), name)
        for path, template in _FILES.items()
    }
    texts[f"robots/{name}_car.xml"] = _robot(name)
    return [_write(folder / path, text) for path, text in texts.items()]


def check_name(name: str) -> None:
    """Accepts what can be the name of files, of elements and of Python modules.

    Raises:
        UserError: `name` cannot; the message proposes one that can.
    """
    if _NAME.fullmatch(name) and not keyword.iskeyword(name):
        return
    near = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    near = near if _NAME.fullmatch(near) and not keyword.iskeyword(near) else f"my_{near or 'town'}"
    raise UserError(
        f"'{name}' cannot be the name of a project: letters, digits and underscores, a letter "
        f"first, and no word of Python's; try '{near}'"
    )


def _robot(name: str) -> str:
    """The shipped car under another name: a robot to change, with comments on each device."""
    text = find_file(_ROBOT, search_roots()).read_text(encoding="utf-8")
    return text.replace('<Robot name="impreza">', f'<Robot name="{name}_car">')


def _fill(text: str, name: str) -> str:
    return Template(text).substitute(name=name)


def _write(path: Path, text: str) -> Path:
    write_whole(path, text.encode())
    return path
