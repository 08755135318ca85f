"""The files that a bench needs beside its launch file: its nodes, what they import, and data."""

import sys
import sysconfig
from pathlib import Path, PurePosixPath

import autosim
from autosim.config.launches import NodeEntry
from autosim.errors import UserError
from autosim_testbench.launch.launch_file import Launch

_PACKAGES = (Path(autosim.__file__).resolve().parent, Path(__file__).resolve().parents[1])


def files_of_bench(launch: Launch) -> dict[PurePosixPath, Path]:
    """The files of a bench that has been set up in this process.

    These are the launch file, the Python files of its nodes, the modules of its folder that they
    have imported, and the files that parameters name.

    Returns:
        By path relative to the folder of the launch file.

    Raises:
        UserError: one lies outside that folder.
    """
    folder = launch.file.resolve().parent
    found = {launch.file.resolve(), *_imported(folder)}
    for node in launch.nodes:
        found.update(_named(node, folder))
    return {PurePosixPath(each.relative_to(folder)): each for each in sorted(found)}


def _named(node: NodeEntry, folder: Path) -> set[Path]:
    """The node's own Python file, and the files that its parameters name."""
    texts = {"pkg": node.pkg} if node.pkg.endswith(".py") else {}
    found = set()
    for name, text in {**texts, **node.parameters}.items():
        path = (folder / text).resolve() if text and "\0" not in text else folder
        if not path.is_file():
            continue
        if not path.is_relative_to(folder):
            raise UserError(
                f"node {node.name!r}: {name} is {text!r}, which lies outside the folder of the "
                f"launch file, {folder}: move it there, so that the package can hold it"
            )
        found.add(path)
    return found


def _imported(folder: Path) -> set[Path]:
    """The modules below a folder that this process has imported, without libraries and AutoSim."""
    libraries = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    apart = (*libraries, *_PACKAGES)
    files = [getattr(each, "__file__", None) for each in list(sys.modules.values())]
    paths = {Path(each).resolve() for each in files if each}
    return {
        each
        for each in paths
        if each.is_relative_to(folder)
        and each.is_file()
        and not any(each.is_relative_to(other) for other in apart)
    }
