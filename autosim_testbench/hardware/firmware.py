"""The sketches for Arduino boards: where they lie, how they are built, and how a board gets one.

A checkout has them in `firmware/` and builds them into `build/firmware`, as `make firmware` does.
An installed AutoSim brings them along and builds them into its cache.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import autosim
from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import ScratchFolder

_PACKAGE = Path(autosim.__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent

_CORE = Path("/usr/share/arduino/hardware/arduino/avr/cores/arduino")
_SIMAVR = Path("/usr/include/simavr/sim_avr.h")

_PROGRAMS = {
    "make": "make",
    "avr-gcc": "gcc-avr",
    "avr-g++": "gcc-avr",
    "avr-objcopy": "binutils-avr",
}
"""Programs that build sketches, and their packages in Debian."""

_FILES = {_CORE: "arduino-core-avr", Path("/usr/lib/avr/include/avr/io.h"): "avr-libc"}
"""Files that building sketches needs, and their packages."""

_LAST_LINES = 6
"""Number of lines of a failed command that are shown: compilers say what is wrong in the last."""

_BOOTLOADER_BAUD = "115200"
"""Speed of an Arduino Uno's boot loader, without unit on avrdude's command line."""


@dataclass(frozen=True, slots=True)
class Built:
    """Result of a build: the sketches, and why boards cannot be emulated ("" if they can)."""

    sketches: tuple[Path, ...]
    obstacle: str
    """Reason why boards cannot be emulated."""


def sources() -> Path:
    """The folder of the sketches' sources.

    Raises:
        UserError: this installation has none.
    """
    for folder in (_CHECKOUT / "firmware", _PACKAGE / "defaults" / "firmware"):
        if (folder / "Makefile").exists():
            return folder
    raise UserError("this installation of AutoSim has no sketches for boards: reinstall it")


def built_folder() -> Path:
    """The folder of the built sketches and of the emulated board."""
    if (_CHECKOUT / "firmware").is_dir():
        return _CHECKOUT / "build" / "firmware"
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "autosim" / "firmware"


def sketches() -> tuple[str, ...]:
    """The names of the sketches."""
    return tuple(sorted(each.stem for each in sources().glob("*/*.cpp")))


def image_of(sketch: str, folder: Path | None = None) -> Path:
    """The file that a board runs.

    Raises:
        UserError: there is no such sketch, or it has not been built.
    """
    image = (folder or built_folder()) / f"{sketch}.elf"
    if not image.exists():
        if sketch not in sketches():
            raise UserError(f"no sketch is called {sketch!r}; there are {', '.join(sketches())}")
        raise UserError(f"there is no {image}: autosim testbench board build makes it")
    return image


def build(folder: Path | None = None) -> Built:
    """Builds all sketches, and the emulated board where simavr's library is installed.

    Raises:
        UserError: compilers are missing, with the command that installs them; or the build fails,
            with what the compiler said last.
    """
    missing = _missing()
    if missing:
        raise UserError(
            f"sketches cannot be built: install what is missing (apt-get install {missing})"
        )
    out = folder or built_folder()
    _make(out, [f"{out}/{each}.elf" for each in sketches()])
    obstacle = _why_none_is_emulated()
    if not obstacle:
        _make(out, [f"{out}/board"])
    return Built(tuple(out / f"{each}.elf" for each in sketches()), obstacle)


def flash(sketch: str, port: Path) -> None:
    """Writes a sketch to an Arduino Uno.

    Raises:
        UserError: it has not been built, avrdude is missing, or it fails.
    """
    image = image_of(sketch)
    for program, package in (("avr-objcopy", "binutils-avr"), ("avrdude", "avrdude")):
        if shutil.which(program) is None:
            raise UserError(f"{program} is not installed: apt-get install {package}")
    with ScratchFolder("flash") as folder:
        written = folder / f"{sketch}.hex"
        _run(["avr-objcopy", "-O", "ihex", "-R", ".eeprom", str(image), str(written)])
        board = ["-p", "atmega328p", "-c", "arduino", "-P", str(port), "-b", _BOOTLOADER_BAUD]
        _run(["avrdude", *board, "-D", "-U", f"flash:w:{written}:i"])


def _missing() -> str:
    packages = [package for name, package in _PROGRAMS.items() if shutil.which(name) is None]
    packages += [package for path, package in _FILES.items() if not path.exists()]
    return " ".join(dict.fromkeys(packages))


def _why_none_is_emulated() -> str:
    missing = [] if _SIMAVR.exists() else ["libsimavr-dev"]
    missing += [] if shutil.which("cc") else ["gcc"]
    return f"apt-get install {' '.join(missing)}" if missing else ""


def _make(out: Path, targets: list[str]) -> None:
    _run(["make", "-s", "-C", str(sources()), f"OUT={out}", *targets])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = (done.stderr + done.stdout).strip().splitlines()[-_LAST_LINES:]
        raise UserError("\n".join([f"{command[0]} failed with code {done.returncode}:", *said]))
