"""Agents of the benchmark: what drives the car of an episode."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from zipfile import BadZipFile, ZipFile

from autosim.config.arguments import split_arguments
from autosim.config.files.lookup import PathError, search_roots
from autosim.config.files.program_files import find_program, program_names
from autosim.errors import UserError

SHIPPED: Mapping[str, str] = MappingProxyType(
    {
        "driver": "driver.py",
        "idm": "idm_driver.py",
        "mppi": "mppi_driver.py",
        "lane_keeper": "lane_keeper.py left 4.0",
        "parking": "parking_driver.py",
    }
)
"""Program of each agent that has a name, with its arguments."""

POLICY_PROGRAM = "learned_driver.py"
"""The program that drives with the weights of a policy file."""

PROCESS = "process:"
"""Beginning of the text of an agent that is a process, before its command."""

POLICY_SUFFIX = ".npz"
"""Suffix of policy files: `autosim train` and `examples/learn_to_drive.py` write them."""


@dataclass(frozen=True, slots=True)
class BenchmarkAgent:
    """An agent: the `name` in results, and the user `program` with its `arguments`."""

    name: str
    program: str
    arguments: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    """Files that decide how it drives, in addition to its program."""
    command: tuple[str, ...] = ()
    """Command of an agent that is a process, in place of `program`; () for none."""


def find_agent(text: str) -> BenchmarkAgent:
    """The agent that a user names.

    Args:
        text: a name of `SHIPPED`, a user program (`.py`) with arguments, a policy file (`.npz`), or
            `process:` and a command.

    Raises:
        UserError: there is no such agent; the message lists what there is.
    """
    if text.startswith(PROCESS):
        return _process(text.removeprefix(PROCESS))
    name, *arguments = split_arguments(text) or [""]
    if name.endswith(POLICY_SUFFIX):
        file = Path(name)
        if not file.is_file():
            raise UserError(f"there is no policy file {name}: autosim train makes one")
        _check_policy(file)
        return BenchmarkAgent(file.stem, POLICY_PROGRAM, (str(file.resolve()), *arguments), (file,))
    program, *own = SHIPPED.get(name, name).split()
    if not program.endswith(".py"):
        known = ", ".join(SHIPPED)
        raise UserError(
            f"'{name}' is not an agent: expected {known}, a user program (.py), a policy file "
            f"({POLICY_SUFFIX}), or {PROCESS} and a command"
        )
    try:
        find_program(program, search_roots())
    except PathError as error:
        programs = ", ".join(program_names(search_roots()))
        raise UserError(f"{error} (programs: {programs})") from error
    return BenchmarkAgent(name.removesuffix(".py"), program, tuple(arguments or own))


def _check_policy(file: Path) -> None:
    """Checks that a file has the first layer of a network.

    Raises:
        UserError: it has none, as the checkpoint of a training, or is damaged.
    """
    try:
        with ZipFile(file) as archive:
            names = archive.namelist()
    except (BadZipFile, OSError) as error:
        raise UserError(f"{file} cannot be read as a policy file: {error}") from error
    if "weight_0.npy" not in names:
        raise UserError(
            f"{file} is not a policy file: expected the policy{POLICY_SUFFIX} that autosim train "
            "writes next to its checkpoint"
        )


def _process(command: str) -> BenchmarkAgent:
    """The agent that a command starts; scripts among its words count as its files."""
    words = split_arguments(command)
    if not words or shutil.which(words[0]) is None:
        raise UserError(f"'{PROCESS}{command}' starts nothing: expected a command after {PROCESS}")
    files = tuple(Path(each) for each in words[1:] if Path(each).is_file())
    placed = [str(Path(each).resolve()) if Path(each) in files else each for each in words[1:]]
    name = files[0].stem if files else Path(words[0]).stem
    return BenchmarkAgent(name, "", (), files, (words[0], *placed))
