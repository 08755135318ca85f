"""Digests of files, by which a server and its clients compare them."""

import hashlib
import os
from copy import deepcopy
from functools import cache
from pathlib import Path

from lxml import etree

_PACKAGE = Path(__file__).parents[2]
"""The folder of AutoSim's modules."""


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of the content of `path`.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def code_digest(package: Path = _PACKAGE) -> str:
    """SHA-256 (hex) of the modules of a package: of one version there are as many as checkouts.

    It is found once in a process.
    """
    total = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        total.update(f"{file.relative_to(package).as_posix()} {file_digest(file)}\n".encode())
    return total.hexdigest()


def path_digest(path: Path) -> str:
    """SHA-256 (hex) of a file, or of a folder: of its files' names and contents.

    Raises:
        OSError: one of them cannot be read.
    """
    if not path.is_dir():
        return file_digest(path)
    total = hashlib.sha256()
    for file in sorted(each for each in path.iterdir() if each.is_file()):
        total.update(os.fsencode(file.name) + f" {file_digest(file)}\n".encode())
    return total.hexdigest()


def world_digest(root: etree._Element) -> str:
    """SHA-256 (hex) of the content of a world file without its sections Graphics.

    It is that of the canonical form (W3C C14N) of elements and attributes: white space, comments
    and the order of attributes make no difference.
    """
    copy = deepcopy(root)
    for graphics in copy.findall("Graphics"):
        copy.remove(graphics)
    for element in copy.iter():
        element.text = element.tail = None
    return hashlib.sha256(etree.tostring(copy, method="c14n")).hexdigest()
