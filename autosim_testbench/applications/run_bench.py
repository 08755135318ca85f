"""Runs the bench of a launch file, and writes what it has done."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from autosim.errors import UserError
from autosim_testbench.applications.mode_server import ModeServer
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.launch.bench import BenchOptions, LockstepBench, require_folder
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.process_bench import ProcessBench
from autosim_testbench.launch.summary import BenchSummary, CountSummary, RunSummary

SUMMARY = "summary.json"

Bench = LockstepBench | ProcessBench
Watch = Callable[[Bench], None]
"""Looks at a bench that runs, between two of its turns."""


def _look_away(bench: Bench) -> None:
    """Watches nothing."""


def run_bench(
    launch: Launch, *, backend: str, options: BenchOptions, watch: Watch = _look_away
) -> RunSummary:
    """Runs a bench to its end.

    Args:
        launch: what to run.
        backend: `embedded` steps all nodes in this process, as fast as possible or in real time;
        with any other, each node runs in its own process, in real time.
        options: duration, mode, and folder of the results.
        watch: called after each turn, in the thread that runs the bench.

    Returns:
        The summary, which `summary.json` holds too where there is a folder for it.

    Raises:
        UserError: the bench cannot run, or its results cannot be written.
    """
    if options.folder:
        require_folder(options.folder)
    with ModeServer(launch) as door:

        def look(bench: Bench) -> None:
            door.serve(bench)
            watch(bench)

        if backend == "embedded":
            with LockstepBench(launch, options) as bench:
                done = bench.run(lambda: look(bench))
        else:
            done = _run_in_processes(launch, backend, options, look)
    summary: RunSummary = {
        "bench": str(launch.file),
        "backend": backend,
        "seed": options.seed,
        **done,
    }
    if options.folder:
        write_summary(summary, options.folder / SUMMARY)
    return summary


def _run_in_processes(
    launch: Launch, backend: str, options: BenchOptions, watch: Watch
) -> BenchSummary:
    opened = open_backend(backend)
    try:
        with ProcessBench(launch, opened, options) as bench:
            return bench.run(lambda: watch(bench))
    finally:
        opened.close()


def write_summary(summary: Mapping[str, object], file: Path) -> None:
    """Writes a summary.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        file.write_text(json.dumps(summary, indent=2) + "\n")
    except OSError as error:
        raise UserError(f"{file}: cannot be written: {error.strerror}") from None


def faults_of(summary: BenchSummary) -> list[str]:
    """Failures of a run: nodes that failed, and topics whose messages were rejected."""
    found = [f"node {name!r} failed: {why}" for name, why in summary["failed"].items()]
    for name, topic in summary["topics"].items():
        if number := sum(topic["rejected"].values()):
            found.append(f"topic {name!r}: {number} messages were rejected: see above")
    return found


def in_words(summary: CountSummary) -> list[str]:
    """A summary as lines for a terminal: a table of topics, then what nodes report."""
    names = list(summary["topics"])
    width = max(map(len, names), default=0)
    lines = [
        f"{'topic':{width}}  {'sent':>8} {'received':>8} {'lost':>6} {'lag p50':>9} {'p99':>9}"
    ]
    for name in names:
        topic = summary["topics"][name]
        lag = topic["lag_ms"]
        lines.append(
            f"{name:{width}}  {topic['sent']:8} {topic['received']:8} {topic['lost']:6} "
            f"{_milliseconds(lag['p50']):>9} {_milliseconds(lag['p99']):>9}"
        )
        lines += [f"  {number} rejected: {why}" for why, number in topic["rejected"].items()]
        if topic["dropped"]:
            lines.append(f"  {topic['dropped']} dropped: a node was too slow to take them")
    for name, report in summary["nodes"].items():
        said = ", ".join(f"{what.replace('_', ' ')} {value}" for what, value in report.items())
        lines.append(f"{name}: {said}")
    return lines


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} ms"
