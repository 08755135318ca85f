"""What a recorder costs: the lateness of steps, and the processor time of the process that writes.

Runs with and without a recorder alternate, since nothing else keeps the machine's other work apart.
`python benchmarks/recording.py [WORLD]`
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.client.link.time_control import TimeControl
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess

WORLD = "worlds/circle_town.xml"
SECONDS = 20.0
"""Length [s] of each run, at the pace of the clock."""

ROUNDS = 3
GOAL = 0.01
"""Share of a core."""

WRITER = b"autosim.records.writer_process"


def lateness(address: SimulationControl) -> tuple[float, float]:
    report = address.report()
    return report.lateness_ms[1], report.step_ms[0]


def writer_seconds(front: int) -> float:
    """Processor time [s] of the process that writes for a server, so far; 0 without one."""
    ticks = 0
    for folder in Path("/proc").iterdir():
        try:
            if not folder.name.isdecimal() or WRITER not in (folder / "cmdline").read_bytes():
                continue
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == front:  # its parent
            ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def run(world_file: str, record: Path | None) -> tuple[float, float, float, float]:
    """p99 of lateness [ms], p50 of a step [ms], the writer's share of a core, bytes a second."""
    world = load_world(Path(world_file))
    with (
        ServerProcess(world, ServerOptions("127.0.0.1:0", record=record)) as server,
        simulation_control(server.address) as control,
    ):
        control.step(24)
        control.run(real_time_factor=1.0)
        time.sleep(1.0)
        before = writer_seconds(server.pid)
        time.sleep(SECONDS)
        share = (writer_seconds(server.pid) - before) / SECONDS
        control.pause()
        late, step = lateness(control)
        if record is not None:
            TimeControl(control).stop_record()
    size = record.stat().st_size / (SECONDS + 1.0) if record is not None else 0.0
    return late, step, share, size


def main(world_file: str) -> None:
    """Prints the ratios."""
    found: dict[bool, list[tuple[float, float, float, float]]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            for is_recorded in (False, True):
                path = Path(folder) / f"{number}.mcap" if is_recorded else None
                found[is_recorded].append(run(world_file, path))
    late, step, share, size = (statistics.median(each) for each in zip(*found[True], strict=True))
    late_without, step_without = (
        statistics.median(each) for each in list(zip(*found[False], strict=True))[:2]
    )
    print(f"{world_file}, {ROUNDS} runs of {SECONDS:g} s with and without a recorder, medians")
    print(f"lateness, p99: {late:.2f} ms against {late_without:.2f} ms: {late / late_without:.2f}")
    print(f"a step, p50:   {step:.3f} ms against {step_without:.3f} ms: {step / step_without:.2f}")
    print(f"the writer: {100 * share:.2f} % of a core: {share / GOAL:.1f} of the goal")
    print(f"the record: {size / 1e3:.0f} kB a second")


if __name__ == "__main__":
    main(*(sys.argv[1:] or [WORLD]))
