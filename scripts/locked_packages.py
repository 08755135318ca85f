"""Prints the part of requirements.lock that AutoSim needs with some of its extras.

    python scripts/locked_packages.py gui video

Each package of the list names those that ask for it; the others are left out.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def main() -> None:
    """Prints the packages with their hashes."""
    packages = list(_packages((_ROOT / "requirements.lock").read_text()))
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
    kept, asked = set[str](), set(_asked(project, sys.argv[1:]))
    while asked:
        kept |= asked
        asked = {name for name, text in packages if _askers(text) & kept} - kept
    missing = kept - {name for name, _ in packages}
    if missing:
        raise SystemExit(f"requirements.lock lacks {', '.join(sorted(missing))}: make lock")
    print("".join(text for name, text in packages if name in kept), end="")


def _packages(lock: str) -> Iterator[tuple[str, str]]:
    """The name of each package with its lines; some have a version for each version of Python."""
    for text in re.split(r"^(?=\S)", lock, flags=re.MULTILINE):
        if text:
            yield _name(text), text


def _name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def _askers(text: str) -> set[str]:
    """The names of the packages that ask for one with these lines."""
    return {_name(each) for each in re.findall(r"^ +# +(?:via )?([\w.-]+)$", text, re.MULTILINE)}


def _asked(project: dict[str, object], extras: Iterable[str]) -> Iterator[str]:
    """The names of what the project itself asks for, with some extras."""
    groups = project["optional-dependencies"]
    assert isinstance(groups, dict)
    of_extras = [each for extra in extras for each in groups[extra]]
    for own in (each for each in of_extras if _name(each) == project["name"]):
        yield from _asked({**project, "dependencies": []}, re.findall(r"\w+", own)[1:])
    dependencies = project["dependencies"]
    assert isinstance(dependencies, list)
    names = map(_name, (*dependencies, *of_extras))
    yield from (name for name in names if name != project["name"])


if __name__ == "__main__":
    main()
