"""Runs netconvert, SUMO's own builder of networks."""

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from os import environ
from pathlib import Path
from shutil import which

from lxml import etree

from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.traffic.sumo.libsumo_loader import SumoError

_OPTIONS = {"nodes": "-n", "edges": "-e", "connections": "-x", "tlLogics": "-i"}
"""Option of netconvert for each kind of plain XML file, by the name of its root element."""

_TIMEOUT_SECONDS = 600.0
"""Time [s] that netconvert may take: it needs about 10 s for a network of 10 000 edges."""

_LAST_LINES = 3
"""Number of netconvert's messages that an error quotes."""


def find_netconvert() -> str:
    """The path of netconvert: of the package `eclipse-sumo`, else of an installation of SUMO.

    Raises:
        SumoError: it is not installed.
    """
    folders = []
    # Not by importing `sumo`: a script beside the caller's may have that name.
    with suppress(PackageNotFoundError):
        folders.append(Path(str(distribution("eclipse-sumo").locate_file("sumo/bin"))))
    if home := environ.get("SUMO_HOME"):
        folders.append(Path(home, "bin"))
    for folder in folders:
        if found := which("netconvert", path=str(folder)):
            return found
    found = which("netconvert")
    if not found:
        raise SumoError(
            "a network for SUMO needs SUMO's netconvert, which is not installed; "
            "install it with:  pip install 'autosim[sumo]'"
        )
    return found


def build_network(files: Sequence[etree._Element], options: Mapping[str, str]) -> etree._Element:
    """The network (`<net>`) that netconvert builds from plain XML.

    Args:
        files: root elements of the files, one of each kind at most.
        options: of netconvert in addition, by their long names; an empty value for a switch.

    Raises:
        SumoError: netconvert is not installed, or does not accept the files.
    """
    with ScratchFolder("netconvert") as folder:
        return _parse(_run(folder, files, options))


def processed_files(
    files: Sequence[etree._Element], options: Mapping[str, str]
) -> tuple[etree._Element, ...]:
    """The `<nodes>`, `<edges>` and `<connections>` of the network that netconvert builds.

    Args:
        files: as for `build_network`.
        options: as for `build_network`.

    Raises:
        SumoError: netconvert is not installed, or does not accept the files.
    """
    with ScratchFolder("netconvert") as folder:
        prefix = folder / "plain"
        plain = {"plain-output-prefix": str(prefix), "plain-output.lanes": ""}
        _run(folder, files, {**options, **plain})
        return tuple(_parse(Path(f"{prefix}.{part}.xml")) for part in ("nod", "edg", "con"))


def _run(folder: Path, files: Sequence[etree._Element], options: Mapping[str, str]) -> Path:
    """Runs netconvert in a folder; returns the path of the network."""
    program = find_netconvert()
    out = folder / "out.net.xml"
    words = [program, "--output-file", str(out)]
    for root in files:
        path = folder / f"{root.tag}.xml"
        path.write_bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))
        words += [_OPTIONS[root.tag], str(path)]
    for name, value in options.items():
        words += [f"--{name}", *([value] if value else [])]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SumoError(f"netconvert ({program}) cannot be run: {error}") from error
    if done.returncode or not out.exists():
        said = "; ".join(done.stderr.strip().splitlines()[-_LAST_LINES:])
        raise SumoError(f"netconvert refuses the network of this world: {said}")
    return out


def _parse(path: Path) -> etree._Element:
    parser = etree.XMLParser(remove_comments=True, remove_blank_text=True, huge_tree=True)
    return etree.parse(str(path), parser).getroot()
