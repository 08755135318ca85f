"""Tries windows of every map beside the checkout, and prints a table and each failure.

`python -m tests.maps --seed 3 --minutes 60`; `--only "monaco.osm.gz 43.73700,7.42230,900"` repeats
one. Windows that `--state` holds from former runs are not tried again, unless they had findings
with an older pipeline.
"""

import argparse
import signal
import sys
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from random import Random

from autosim.world.osm import osm_reader
from autosim.world.pipeline.steps import steps_in_plan
from tests.maps import windows
from tests.maps.shrinking import shrunk
from tests.maps.trial import Trial, try_window
from tests.maps.trial_log import append_trial, read_trials
from tests.maps.windows import MapWindow, extracts, window_of, windows_of
from tests.paths import ROOT

_TRIES_OF_SHRINKING = 60


def main() -> int:
    """1 if any window failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=0, help="of the windows and of their order")
    parser.add_argument("--minutes", type=float, default=120.0, help="after which no trial begins")
    parser.add_argument("--only", type=window_of, help="the window to try, as it was printed")
    parser.add_argument("--shrink", action="store_true", help="write failing maps with few ways")
    parser.add_argument("--state", type=Path, help="the trials of all runs; of OUT by default")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "maps")
    given = parser.parse_args()
    read_once = lru_cache(maxsize=None)(osm_reader.read_osm)
    steps_in_plan.read_osm = windows.read_osm = read_once  # type: ignore[attr-defined]
    end = time.monotonic() + 60.0 * given.minutes
    given.state = given.state or given.out / "trials.jsonl"
    tried = read_trials(given.state)
    former = len(tried)
    # Shells have programs in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _try_all(given, end, tried)
    print(f"{len(tried)} windows, {former} of them in former runs ({given.state})")
    print(table(tried))
    return int(any(trial.findings for trial in tried.values()))


def _try_all(given: argparse.Namespace, end: float, tried: dict[MapWindow, Trial]) -> None:
    """Tries windows until `end` [s of the monotonic clock] or Ctrl-C, and adds them to `tried`."""
    for place in [given.only] if given.only else _all_windows(given.seed):
        if time.monotonic() > end:
            break
        if place in tried and not given.only:
            continue
        tried[place] = trial = try_window(place)
        append_trial(given.state, place, trial)
        for each in trial.findings:
            print(f"{place}\n    {each.text}", flush=True)
        for kind in dict.fromkeys(each.kind for each in trial.findings if given.shrink):
            target = given.out / f"{len(tried)}_{kind.replace(' ', '_')}.osm"
            ways = shrunk(place, kind, target, tries=_TRIES_OF_SHRINKING)
            print(f"    {kind} with {ways} ways: {target}", flush=True)


def _all_windows(seed: int) -> list[MapWindow]:
    """All windows of all maps, in an order that the seed decides."""
    found = [place for path in extracts() for place in windows_of(path, seed)]
    Random(seed).shuffle(found)
    return found


def table(tried: dict[MapWindow, Trial]) -> str:
    """Windows, those with streets, those without a finding and the distance driven, by map."""
    lines = [f"{'map':34} {'windows':>7} {'streets':>7} {'sound':>6} {'driven':>6} {'km':>6}"]
    for name in [*sorted({place.path.name for place in tried}), ""]:
        those = [trial for place, trial in tried.items() if name in ("", place.path.name)]
        with_streets = [trial for trial in those if trial.has_streets]
        sound = sum(not trial.findings for trial in with_streets)
        drives = [trial.driven for trial in those if trial.driven is not None]
        lines.append(
            f"{name or 'all':34} {len(those):7} {len(with_streets):7} {sound:6} "
            f"{len(drives):6} {sum(drives) / 1000.0:6.1f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
