"""Resources that a server's processes hold: memory, threads, descriptors and files."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Usage(NamedTuple):
    """Resources of a group of processes at one moment."""

    memory_mb: float
    """Proportional set size [MB]: pages that processes share count once."""
    processes: int
    """Number of processes, without those that have ended."""
    threads: int
    """Number of threads."""
    descriptors: int
    """Number of open descriptors."""
    shared_memory: int
    """Number of files in /dev/shm."""
    files: int
    """Number of files in the folder for temporary files."""


def usage_of(folder: Path) -> Usage:
    """The usage of all processes that were started with `folder` for their temporary files."""
    held = [_held(each) for each in family(folder)]
    memory, threads, descriptors = (sum(column) for column in zip(*held, strict=True))
    return Usage(
        memory_mb=memory / 1e6,
        processes=len(held),
        threads=int(threads),
        descriptors=int(descriptors),
        shared_memory=len(os.listdir("/dev/shm")),
        files=sum(not each.is_dir() for each in folder.rglob("*")),
    )


def family(folder: Path) -> list[int]:
    """The processes whose environment names `folder`, also those whose parents have ended."""
    mark, found = f"TMPDIR={folder}".encode(), []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if mark in (each / "environ").read_bytes().split(b"\0"):
                found.append(int(each.name))
    return found


def running_programs(folder: Path) -> list[int]:
    """Those of them that run user programs; copies of programs that sleep are none."""
    return [
        each
        for each in family(folder)
        if b"autosim.userprogram.process.runner" in _text(each, "cmdline")
        and b"asleep" not in _text(each, "comm")
    ]


def _text(pid: int, name: str) -> bytes:
    """A file about a process; empty where it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


def _held(pid: int) -> tuple[float, int, int]:
    """Bytes of memory, threads and descriptors of a process; zeros where it has ended."""
    folder = Path(f"/proc/{pid}")
    try:
        text = (folder / "smaps_rollup").read_text()
        memory = next(int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:")
        return 1024.0 * memory, len(os.listdir(folder / "task")), len(os.listdir(folder / "fd"))
    except (OSError, StopIteration):
        return 0.0, 0, 0
