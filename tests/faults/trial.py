"""A server, a client behind a faulty network and one beside it; a fault strikes in some phase."""

import hashlib
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from unittest import mock

from autosim.access import variables
from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_tokens import ServerTokens
from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.client.link.time_control import TimeControl
from autosim.engine.command_gate.gate import CommandGate
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.model.commands import command_for
from autosim.model.phase import Phase
from autosim.records.events import CommandApplied
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.records.recovery import recover
from autosim.server.network.server_process import ServerProcess
from autosim.wire import Packet
from tests.faults.fault_proxy import FaultProxy
from tests.faults.history import History, Outcome, Sighting
from tests.faults.injections import Fault
from tests.faults.moved_clock import MovedClock
from tests.running_processes import children
from tests.server.light_simulation import LightSimulation, light_options, light_world

DRIVE = "r0.box.drive"

PROGRAM = """
from autosim.userprogram import set_data, wait

def main(argv):
    turn = 0
    while True:
        turn += 1
        set_data("r1.box.drive", [turn / 1000.0, 0.0, 0.0])
        wait(0.02)
"""
"""A program that drives the other robot: it counts its turns."""

PATIENCE = 60.0
"""[s] for anything that must come at all: a slow machine makes things late, never wrong."""

_ROLES = {
    b"autosim.server.process.simulation_process": "simulation",
    b"autosim.records.writer_process": "recorder",
}


class Moment(Enum):
    """What the server does when the fault strikes."""

    PAUSED = "paused"
    RUNNING = "running"
    REWINDING = "rewinding"
    ENDING_RECORD = "ending a record"
    ENDING = "ending"


@dataclass
class Trial:
    """One trial; `run` returns its history.

    Args:
        fault: that strikes.
        moment: at which it strikes.
        seed: of the times and of the commands.
        folder: for the record.
    """

    fault: Fault
    moment: Moment
    seed: int
    folder: Path
    history: History = field(default_factory=History)
    processes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        (self.folder / "userprograms").mkdir()
        (self.folder / "userprograms" / "counts.py").write_text(PROGRAM)
        world = light_world(2)
        first, second = world.robots
        self.world = replace(
            world, robots=(first, replace(second, program="userprograms/counts.py"))
        )
        self.record_path = self.folder / "run.mcap"
        self.clock = MovedClock(self.folder / "clock")
        self._is_over = threading.Event()
        self._last_value = 0
        self._restores: list[tuple[int, int]] = []
        self._seen: list[tuple[int, Packet]] = []

    def run(self) -> History:
        """Runs the trial to its end, and reads what it left."""
        with self._own_folders() as temporary:
            server = ServerProcess(self.world, light_options(record=self.record_path))
            try:
                with FaultProxy(server.address, self.seed) as self.proxy:
                    self._take_part(server)
            finally:
                server.close()
            self._look_for_leftovers(temporary)
        self.history.sightings = self._sightings()
        self._read_record()
        return self.history

    # The trial.

    def _take_part(self, server: ServerProcess) -> None:
        with (
            simulation_control(server.address) as owner,
            # Behind the proxy, the server is not known as the user's own.
            mock.patch.dict(os.environ, {variables.TOKEN: ServerTokens(owner).make("control")[1]}),
            Mirror(self.world, self.proxy.address, rate_hz=0.0) as mirror,
            self._in_background(lambda: self._watch(mirror)),
        ):
            mirror.connection.wait_for_state(PATIENCE)
            owner.pause()
            last = owner.step(20).step
            self._processes_of(server)
            TimeControl(owner).snapshot("before")
            if self.fault.ends_record:
                self._wait_for_disk(last)
            # Else what is done again is not the same, or no further step applies the last command.
            is_commanded = self.moment in (Moment.PAUSED, Moment.RUNNING)
            commander = self._command if is_commanded else lambda: None
            with self._in_background(commander):
                try:
                    self._strike(owner, server)
                finally:
                    self._is_over.set()
            if self.fault.ends_server and not self._has_survived(owner):
                self._expect_end()
            elif self.moment is not Moment.ENDING:
                self._expect_recovery(owner, mirror)

    def _strike(self, owner: SimulationControl, server: ServerProcess) -> None:
        """Lets the fault strike while the server is busy with what the moment is about."""
        busy = threading.Thread(target=self._keep_busy, args=(owner, server))
        busy.start()
        time.sleep(0.15 * self._random.random())
        self.fault.strike(self)
        time.sleep(0.1 + 1.4 * self._random.random())
        self.fault.heal(self)
        busy.join(PATIENCE)
        if busy.is_alive():
            self.history.wrong.append(f"{self.moment.value}: no end within {PATIENCE:g} s")

    def _keep_busy(self, owner: SimulationControl, server: ServerProcess) -> None:
        try:
            match self.moment:
                case Moment.PAUSED:
                    owner.status()
                case Moment.RUNNING:
                    owner.run(steps=200, real_time_factor=1.0)
                    self._wait_for_pause(owner)
                case Moment.REWINDING:
                    owner.step(50)
                    self._restore(owner)
                    owner.step(50)
                case Moment.ENDING_RECORD:
                    owner.step(50)
                    TimeControl(owner).stop_record()
                case Moment.ENDING:
                    server.close()
        except UserError as error:
            if not (self.fault.ends_server or self.fault.may_refuse):
                self.history.wrong.append(f"an order of another peer failed: {error}")
        except Exception as error:
            self.history.wrong.append(f"{type(error).__name__} reached the user: {error}")

    def _restore(self, owner: SimulationControl) -> None:
        """Goes back in time; an order that failed may have been carried out all the same."""
        ordered_ns = time.time_ns()
        try:
            TimeControl(owner).restore("before")
        finally:
            self._restores.append((ordered_ns, time.time_ns()))

    def _wait_for_pause(self, owner: SimulationControl) -> None:
        while owner.status().phase is Phase.RUNNING:
            time.sleep(0.05)

    def _expect_recovery(self, owner: SimulationControl, mirror: Mirror) -> None:
        """After the fault, the server steps on and the client sees it."""
        try:
            last = owner.step(10).step
            mirror.connection.wait_for_state(PATIENCE, step=last)
        except UserError as error:
            self.history.wrong.append(f"after the fault: {error}")

    def _has_survived(self, owner: SimulationControl) -> bool:
        """Whether the server continues, where that is possible.

        The moment that was gone back to may have taken the place of what the fault ended.
        """
        if self.moment is not Moment.REWINDING and not self.fault.may_be_survived:
            return False
        with suppress(UserError):
            return owner.step(1).phase is Phase.PAUSED
        return False

    def _expect_end(self) -> None:
        """After a fault that no server survives, all its processes end by themselves."""
        end = time.monotonic() + PATIENCE
        while (left := self._alive()) and time.monotonic() < end:
            time.sleep(0.05)
        self.history.left_behind += left

    def _wait_for_disk(self, step: int) -> None:
        """Waits until a step is on the disk, where it has to be whatever ends the writer."""
        self.history.kept_step = step
        copy, end = self.folder / "copy.mcap", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(RecordError):
                recover(self.record_path, copy)
                with Record(copy) as record:
                    if record.last_step >= step:
                        return
            time.sleep(0.05)
        self.history.wrong.append(f"step {step} did not reach the disk within {PATIENCE:g} s")

    # Those who take part.

    def _watch(self, mirror: Mirror) -> None:
        """Writes down each state that arrives."""
        connection, seen = mirror.connection, None

        def is_new() -> bool:
            newest = connection.newest
            return self._is_over.is_set() or (newest is not None and newest is not seen)

        while not self._is_closing:
            connection.wait_until(is_new, 0.1)
            newest = connection.newest
            if newest is not None and newest is not seen:
                seen = newest
                self._seen.append((newest.epoch, newest.packet))

    def _sightings(self) -> list[Sighting]:
        """The states that were seen, each in its course of time.

        Those that were published while time went back may belong to either course, and are left
        out; by a clock that is moved, that cannot be told.
        """
        found: list[Sighting] = []
        if self.fault.moves_clock and self._restores:
            return found
        for epoch, packet in self._seen:
            moment = packet.published_ns
            if any(start <= moment <= end for start, end in self._restores):
                continue
            course = sum(end < moment for _, end in self._restores)
            digest = hashlib.sha256(packet.state).hexdigest()
            found.append(Sighting(epoch, course, packet.step, digest))
        return found

    def _command(self) -> None:
        """Sends commands with values of their own through the proxy, one after the other."""
        tree = build_tree(self.world)
        with simulation_control(self.proxy.address) as control:
            while not self._is_over.is_set():
                self._last_value += 1
                value = self._last_value / 100_000
                self.history.sent[value] = Outcome.UNKNOWN
                try:
                    control.set_data_now([command_for(tree, DRIVE, [value, 0.0, 0.0])])
                    self.history.sent[value] = Outcome.ACKNOWLEDGED
                except ClientError:
                    continue
                finally:
                    time.sleep(0.02)

    @contextmanager
    def _in_background(self, call: Callable[[], None]) -> Iterator[None]:
        def guarded() -> None:
            try:
                call()
            except Exception as error:
                self.history.wrong.append(f"{type(error).__name__}: {error}")

        self._is_closing = False
        thread = threading.Thread(target=guarded)
        thread.start()
        try:
            yield
        finally:
            self._is_closing = True
            thread.join(PATIENCE)

    # What remains.

    def _processes_of(self, server: ServerProcess) -> None:
        self.processes = {"front": server.pid}
        for pid in children(server.pid):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            for module, role in _ROLES.items():
                if module in command:
                    self.processes[role] = pid
        (self.processes["program"],) = children(self.processes["simulation"])

    @contextmanager
    def _own_folders(self) -> Iterator[Path]:
        folder = self.folder / "temporary"
        folder.mkdir()
        tempfile.tempdir = None
        variables_of_server = {"TMPDIR": str(folder), "AUTOSIM_PATH": str(self.folder)}
        if self.fault.moves_clock:
            folders = filter(None, (str(self.clock.folder), os.environ.get("PYTHONPATH")))
            variables_of_server["PYTHONPATH"] = os.pathsep.join(folders)
        with mock.patch.dict(os.environ, variables_of_server):
            yield folder
        tempfile.tempdir = None

    def _look_for_leftovers(self, temporary: Path) -> None:
        end = time.monotonic() + PATIENCE
        while (left := self._leftovers(temporary)) and time.monotonic() < end:
            time.sleep(0.05)
        self.history.left_behind += left

    def _leftovers(self, temporary: Path) -> list[str]:
        return self._alive() + [str(each) for each in temporary.rglob("*") if not each.is_dir()]

    def _alive(self) -> list[str]:
        return [f"{role} process" for role, pid in self.processes.items() if _is_alive(pid)]

    def _read_record(self) -> None:
        """Reads the record, recovered where the fault was directed at its writer."""
        self.history.must_be_whole = not self.fault.ends_record
        path = next(self.folder.glob("run.m*"))
        try:
            if self.fault.ends_record and not has_end(path):
                recover(path, path)
            with Record(path) as record:
                self._compare(record)
            again = path.with_stem(f"{path.stem}-2")
            if again.exists() and has_end(again):
                with Record(again) as record:
                    self.history.recorded_again = _digests_of(record)
        except RecordError as error:
            self.history.wrong.append(f"the record cannot be read: {error}")

    def _compare(self, record: Record) -> None:
        history = self.history
        commands = [e for e in record.events((CommandApplied,)) if isinstance(e, CommandApplied)]
        history.logged = [round(e.values[0], 5) for e in commands if e.device == DRIVE]
        history.record_steps = [step for step, _ in record.states()]
        history.recorded = _digests_of(record)
        simulation = LightSimulation(light_world(2))
        gate = CommandGate(simulation.tree)
        for step in range(record.last_step + 1):
            if step:
                simulation.advance()
            digest = hashlib.sha256(simulation.state.to_bitstream()).hexdigest()
            history.resimulated[step] = digest
            due = [e for e in commands if e.step == step]
            simulation.take(
                [gate.check_by_hand(command_for(simulation.tree, e.device, e.values)) for e in due]
            )


def _digests_of(record: Record) -> dict[int, str]:
    """The digests of the states of a record by their steps."""
    return {step: hashlib.sha256(state).hexdigest() for step, state in record.states()}


def has_end(path: Path) -> bool:
    """Whether a record was finished by its writer."""
    try:
        Record(path).close()
    except RecordError:
        return False
    return True


def _is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
