"""Agents of the benchmark: what drives the car of an episode."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from autosim.config.arguments import split_arguments
from autosim.config.files.lookup import PathError, search_roots
from autosim.config.files.program_files import find_program, program_names
from autosim.errors import UserError

SHIPPED: Mapping[str, str] = MappingProxyType({"driver": "driver.py", "idm": "idm_driver.py"})
"""Program of each agent that has a name."""

POLICY_PROGRAM = "learned_driver.py"
"""The program that drives with the weights of a policy file."""

POLICY_SUFFIX = ".npz"
"""Suffix of policy files: the weights that `examples/learn_to_drive.py` writes."""


@dataclass(frozen=True, slots=True)
class BenchmarkAgent:
    """An agent: the `name` in results, and the user `program` with its `arguments`."""

    name: str
    program: str
    arguments: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    """Files that decide how it drives, in addition to its program."""


def find_agent(text: str) -> BenchmarkAgent:
    """The agent that a user names.

    Args:
        text: a name of `SHIPPED`, a user program (`.py`) with arguments, or a policy file (`.npz`).

    Raises:
        UserError: there is no such agent; the message lists what there is.
    """
    name, *arguments = split_arguments(text) or [""]
    if name.endswith(POLICY_SUFFIX):
        file = Path(name)
        if not file.is_file():
            raise UserError(f"there is no policy file {name}: examples/learn_to_drive.py makes one")
        return BenchmarkAgent(file.stem, POLICY_PROGRAM, (str(file.resolve()), *arguments), (file,))
    program = SHIPPED.get(name, name)
    if not program.endswith(".py"):
        known = ", ".join(SHIPPED)
        raise UserError(
            f"'{name}' is not an agent: expected {known}, a user program (.py) or a policy file "
            f"({POLICY_SUFFIX})"
        )
    try:
        find_program(program, search_roots())
    except PathError as error:
        programs = ", ".join(program_names(search_roots()))
        raise UserError(f"{error} (programs: {programs})") from error
    return BenchmarkAgent(name.removesuffix(".py"), program, tuple(arguments))
