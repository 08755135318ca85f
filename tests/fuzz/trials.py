"""Single inputs: whether a reader takes them as it should, and the smallest that it does not."""

import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from tests.fuzz.fuzz_targets import FuzzTarget
from tests.fuzz.mutations import mutate
from tests.paths import ROOT

_TRIES_OF_SHRINKING = 400
_SIZE_OF_SECONDS = 4096
"""Number of bytes of an input that may take a target's `seconds`; larger ones may take longer."""


class TooSlowError(BaseException):
    """An input took more processor time than its target allows."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that a reader did not take as it should.

    Attributes:
        target: name of the target.
        place: type of the error and the function of AutoSim that it left last; equal for inputs
            that meet the same defect.
        text: traceback.
        data: the input.
    """

    target: str
    place: str
    text: str
    data: bytes


def try_input(target: FuzzTarget, data: bytes, folder: Path) -> Finding | None:
    """Lets a target read an input from a file in `folder`; None if that went as it should."""
    path = folder / f"input{target.suffix}"
    path.write_bytes(data)
    limit = target.seconds * max(1.0, len(data) / _SIZE_OF_SECONDS)
    former = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        target.read(path)
    except target.expected as error:
        return None if str(error) else _finding(target, error, data)
    except (Exception, TooSlowError) as error:
        return _finding(target, error, data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, former)
    return None


def mutations_of(target: FuzzTarget, seed: int) -> Iterator[bytes]:
    """Endless changed inputs of a target, the same ones for the same seed."""
    random = Random(f"{target.name} {seed}")
    seeds = target.seeds()
    while True:
        yield mutate(random.choice(seeds), random.choice(seeds), random)


def shrunk(found: Finding, target: FuzzTarget) -> Finding:
    """A smaller input with the same defect, by removing ever smaller pieces of it."""
    best, tries = found, 0
    split: Callable[[bytes], list[bytes]]
    with tempfile.TemporaryDirectory() as folder:
        for split in (_lines, _tags, _singles):
            pieces = split(best.data)
            size = len(pieces) // 2
            while size and tries < _TRIES_OF_SHRINKING:
                at = 0
                while at < len(pieces) and tries < _TRIES_OF_SHRINKING:
                    rest = pieces[:at] + pieces[at + size :]
                    tries += 1
                    other = try_input(target, b"".join(rest), Path(folder))
                    if other is not None and other.place == found.place:
                        best, pieces = other, rest
                    else:
                        at += size
                size //= 2
    return best


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _tags(data: bytes) -> list[bytes]:
    return [b"<" * (k > 0) + each for k, each in enumerate(data.split(b"<"))]


def _singles(data: bytes) -> list[bytes]:
    return [data[k : k + 1] for k in range(len(data))]


def _stop(signum: int, frame: FrameType | None) -> None:
    raise TooSlowError


def _finding(target: FuzzTarget, error: BaseException, data: bytes) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if Path(each.filename).is_relative_to(ROOT / "autosim")]
    place = f"{Path(own[-1].filename).relative_to(ROOT)}:{own[-1].name}" if own else "?"
    kind = type(error).__name__
    if isinstance(error, TooSlowError):
        place = str(own[0].name) if own else "?"
    text = "".join(traceback.format_exception(error))
    return Finding(target.name, f"{kind} in {place}", text, data)
