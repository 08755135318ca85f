"""Tries faults in all moments until the time is up, and prints each broken promise.

`python -m tests.faults --seed 3 --minutes 60`; `--only "recorder killed, running"` repeats one.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.faults.matrix import Cell, rounds


def main() -> int:
    """The number of trials in which a promise was broken, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no trial begins")
    parser.add_argument("--only", default="", help="words that the name of a trial begins with")
    given = parser.parse_args()
    end = time.monotonic() + 60.0 * given.minutes
    tried = broken = 0
    for cell in _chosen(given.seed, given.only):
        if time.monotonic() > end:
            break
        tried += 1
        with tempfile.TemporaryDirectory() as folder:
            found = cell.run(Path(folder))
        broken += bool(found)
        print(f"{'BROKEN' if found else 'kept  '} {cell}", flush=True)
        for each in found:
            print(f"       {each}", flush=True)
    print(f"{tried} trials, {broken} with broken promises")
    return min(broken, 1)


def _chosen(seed: int, only: str) -> Iterator[Cell]:
    for cell in rounds(seed):
        if only and cell.seed > seed:
            return
        if str(cell).startswith(only):
            yield cell


if __name__ == "__main__":
    sys.exit(main())
