"""The faults that trials inject: of the network, of processes, of the disk."""

import os
import resource
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.faults.fault_proxy import FaultProxy, Weather
from tests.faults.moved_clock import MovedClock


class Target(Protocol):
    """What a fault can reach.

    `processes`: ids of the server's processes by role (front, simulation, recorder, program).
    `record_path`: the file that is written. `clock`: that of the server.
    """

    proxy: FaultProxy
    record_path: Path
    clock: MovedClock

    @property
    def processes(self) -> Mapping[str, int]: ...


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and what of the product may not survive it.

    `strike` and `heal` begin and end it. `ends_server`: the simulation cannot continue, and the
    server has to say why and be gone. `ends_record`: the record may lack its end. `may_refuse`: the
    server itself lacks what an order needs, and may refuse it with the reason. `may_be_survived`:
    whether the server ends depends on what it just does. `moves_clock`: the server's clock must be
    one that can be moved.
    """

    name: str
    strike: Callable[[Target], None]
    heal: Callable[[Target], None] = lambda target: None
    ends_server: bool = False
    ends_record: bool = False
    may_refuse: bool = False
    may_be_survived: bool = False
    moves_clock: bool = False

    def __str__(self) -> str:
        return self.name


def _weather(name: str, weather: Weather) -> Fault:
    def strike(target: Target) -> None:
        target.proxy.weather = weather

    return Fault(name, strike, lambda target: target.proxy.heal())


def _signal(role: str, number: signal.Signals) -> Callable[[Target], None]:
    def send(target: Target) -> None:
        with suppress(ProcessLookupError):
            os.kill(target.processes[role], number)

    return send


def _frozen(role: str) -> Fault:
    stop, go = _signal(role, signal.SIGSTOP), _signal(role, signal.SIGCONT)
    return Fault(f"{role} frozen", stop, go)


def _killed(role: str) -> Fault:
    kill = _signal(role, signal.SIGKILL)
    ends_server = role in ("front", "simulation")
    return Fault(f"{role} killed", kill, ends_server=ends_server, ends_record=role != "program")


def _limited(role: str, name: str, limit: int, value: int, *, ends_record: bool) -> Fault:
    """A limit of resources that a process runs into, as on a full disk or without descriptors."""

    def set_limit(target: Target) -> None:
        with suppress(ProcessLookupError):
            pid = target.processes[role]
            _, most = resource.prlimit(pid, limit)
            resource.prlimit(pid, limit, (value, most))

    def lift(target: Target) -> None:
        with suppress(ProcessLookupError):
            pid = target.processes[role]
            _, most = resource.prlimit(pid, limit)
            resource.prlimit(pid, limit, (most, most))

    is_front = role == "front"
    name = f"{role} {name}"
    return Fault(name, set_limit, lift, ends_record=ends_record, may_refuse=is_front)


def _without_memory(role: str) -> Fault:
    """The address space is full but for a megabyte: what does not come with that may fail."""

    def size_of(pid: int) -> int:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        return pages * resource.getpagesize()

    def fill(target: Target) -> None:
        with suppress(ProcessLookupError, FileNotFoundError):
            pid = target.processes[role]
            _, most = resource.prlimit(pid, resource.RLIMIT_AS)
            resource.prlimit(pid, resource.RLIMIT_AS, (size_of(pid) + (1 << 20), most))

    def free(target: Target) -> None:
        with suppress(ProcessLookupError):
            pid = target.processes[role]
            _, most = resource.prlimit(pid, resource.RLIMIT_AS)
            resource.prlimit(pid, resource.RLIMIT_AS, (most, most))

    return Fault(
        f"{role} without memory",
        fill,
        free,
        ends_server=role in ("front", "simulation"),
        ends_record=role != "program",
        may_refuse=True,
        may_be_survived=True,
    )


def _clock_set(name: str, seconds: float) -> Fault:
    def move(target: Target) -> None:
        target.clock.set(seconds)

    return Fault(f"clock set {name}", move, lambda target: target.clock.set(0.0), moves_clock=True)


def _cut(target: Target) -> None:
    target.proxy.cut()


def _remove_record(target: Target) -> None:
    target.record_path.rename(target.record_path.with_suffix(".moved"))


NETWORK = (
    _weather("delay", Weather(delay=0.08)),
    _weather("jitter", Weather(delay=0.01, jitter=0.15)),
    _weather("slow line", Weather(rate=20_000.0)),
    _weather("black hole", Weather(is_black_hole=True)),
    _weather("half-open connection", Weather(is_half_open=True)),
    _weather("cut in the middle of a frame", Weather(cut_after=777)),
    Fault("all connections reset", _cut),
)

ROLES = ("front", "simulation", "recorder", "program")

PROCESSES = (
    *(_frozen(role) for role in ROLES),
    *(_killed(role) for role in ROLES),
)

DISKS = (
    _limited("recorder", "on a full disk", resource.RLIMIT_FSIZE, 4096, ends_record=True),
    _limited("recorder", "without descriptors", resource.RLIMIT_NOFILE, 3, ends_record=False),
    _limited("front", "without descriptors", resource.RLIMIT_NOFILE, 8, ends_record=False),
    Fault("record renamed while it is written", _remove_record),
)

MEMORY = tuple(_without_memory(role) for role in ROLES)

CLOCKS = (_clock_set("back by an hour", -3600.0), _clock_set("forward by a day", 86400.0))

FAULTS = (*NETWORK, *PROCESSES, *DISKS, *MEMORY, *CLOCKS)
