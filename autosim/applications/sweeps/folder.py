"""The folder of a sweep: its plan, its runs, and who runs what."""

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autosim.applications.common.files import write_whole
from autosim.applications.sweeps.order import RunOrder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.errors import UserError

DEFAULT_FOLDER = Path("out/sweeps")
"""Folder of sweeps, each in a subfolder with the name of its study."""

_PLAN = "plan.json"
_ID = re.compile(r"[A-Za-z0-9]{1,64}")
"""Pattern of the id of a run, which is the name of a folder."""

_ORDER, _SUMMARY, _LOCK, _ADDRESS = "run.json", "summary.json", "lock", "address"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run."""

    path: Path
    """Its location."""

    @property
    def id(self) -> str:
        """The run's id."""
        return self.path.name

    @property
    def files(self) -> Path:
        """The files of its own."""
        return self.path / "files"

    @property
    def log(self) -> Path:
        """Output of its process."""
        return self.path / "log.txt"

    @property
    def record(self) -> Path:
        """The record of the run."""
        return self.path / "record.mcap"

    @property
    def address(self) -> Path:
        """Holds the address of its server while it runs."""
        return self.path / _ADDRESS

    def order(self) -> RunOrder:
        """The order of the run.

        Raises:
            UserError: it is missing, or of another version.
        """
        try:
            return RunOrder.from_json((self.path / _ORDER).read_text())
        except (OSError, ValueError) as error:
            raise UserError(f"{self.path}: no run of this version of AutoSim ({error})") from error

    def keep_order(self, order: RunOrder) -> None:
        """Writes down what to run.

        Raises:
            UserError: it cannot be written.
        """
        content = f"{order.to_json()}\n".encode()
        if not _holds(self.path / _ORDER, content):
            write_whole(self.path / _ORDER, content)

    def outcome(self) -> Outcome | None:
        """The result; None if the run is not done."""
        try:
            return Outcome.from_json((self.path / _SUMMARY).read_text())
        except (OSError, ValueError):
            return None

    def finish(self, outcome: Outcome) -> None:
        """Writes the result: from now on the run is done.

        Raises:
            UserError: it cannot be written.
        """
        write_whole(self.path / _SUMMARY, f"{outcome.to_json()}\n".encode())

    def forget(self) -> None:
        """Makes it a run that is not done."""
        (self.path / _SUMMARY).unlink(missing_ok=True)

    @contextmanager
    def claim(self) -> Iterator[int | None]:
        """Holds the run's lock; None where another process has it.

        Gives the descriptor of the lock. A process that inherits it holds the lock too, so that it
        is free again when both are gone, in whatever way.
        """
        descriptor = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    raise
                yield None
            else:
                yield descriptor
        finally:
            os.close(descriptor)

    def is_running(self) -> bool:
        """Whether its lock is held."""
        if not (self.path / _LOCK).exists():
            return False
        with self.claim() as descriptor:
            return descriptor is None


class SweepFolder:
    """The folder of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def table(self) -> Path:
        """The table of all results."""
        return self.path / "table.parquet"

    def run(self, run_id: str) -> RunFolder:
        """The folder of a run."""
        return RunFolder(self.path / "runs" / run_id)

    def find(self, start: str) -> RunFolder:
        """The run whose id begins like that.

        Raises:
            UserError: there is none, or there are several.
        """
        found = [each for each in self.ids() if each.startswith(start)]
        if len(found) != 1:
            many = f"several runs begin with '{start}': {', '.join(found[:4])}"
            raise UserError(many if found else f"{self.path} has no run '{start}'")
        return self.run(found[0])

    def keep_plan(self, runs: Iterable[tuple[RunOrder, Mapping[str, bytes]]]) -> list[str]:
        """Writes down what there is to run; returns the ids.

        Args:
            runs: each with the files of its own, by their places in its folder `files`.

        Raises:
            UserError: it cannot be written.
        """
        ids = []
        for order, files in runs:
            folder = self.run(order.id)
            for name, content in files.items():
                if not _holds(folder.files / name, content):
                    write_whole(folder.files / name, content)
            # The order comes last: with it, all is there.
            folder.keep_order(order)
            ids.append(order.id)
        write_whole(self.path / _PLAN, f"{json.dumps({'runs': ids})}\n".encode())
        return ids

    def ids(self) -> Sequence[str]:
        """The runs of the plan, in their order.

        Raises:
            UserError: there is no plan.
        """
        try:
            ids: list[str] = json.loads((self.path / _PLAN).read_text())["runs"]
            if bad := [each for each in ids if not _ID.fullmatch(each)]:
                raise ValueError(f"{bad[0]!r} is not the id of a run")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(
                f"{self.path} is not a folder of runs: autosim sweep and autosim benchmark run "
                "make one"
            ) from error
        return ids

    def outcomes(self) -> Iterator[tuple[RunFolder, Outcome | None]]:
        """All runs of the plan, with their results."""
        for each in self.ids():
            folder = self.run(each)
            yield folder, folder.outcome()


def _holds(file: Path, content: bytes) -> bool:
    try:
        return file.read_bytes() == content
    except OSError:
        return False
