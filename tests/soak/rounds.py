"""A round of a soak test: clients come and go, programs die, worlds load, time goes back."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl
from autosim.client.link.time_control import TimeControl
from autosim.config.descriptions import WorldDescription
from tests.soak.usage import running_programs

PATIENCE = 120.0
"""For anything that must come at all [s]."""
ROUNDS_OF_A_WORLD = 8
"""Number of rounds between two loads of the world; in between, one simulation continues."""


class Rounds:
    """The rounds of a soak test, in an order of actions that the seed decides.

    Args:
        control: of the server.
        world: what it simulates; one robot has a program.
        address: of the server.
        folder: for temporary files of the server's processes, which names them.
        seed: of the actions.
    """

    def __init__(
        self,
        control: SimulationControl,
        world: WorldDescription,
        *,
        address: str,
        folder: Path,
        seed: int,
    ) -> None:
        self.done: dict[str, int] = {}
        self._control, self._world, self._address = control, world, address
        self._folder, self._seed = folder, seed
        self._time = TimeControl(control)
        self._management = ServerManagement(control)
        self._robot = next(each.name for each in world.robots if each.program)

    def run(self, number: int) -> None:
        """One round: every action once, in an order of its own; then the server is at rest."""
        random = Random(f"{self._seed} {number}")
        actions: list[Callable[[Random], None]] = [
            self._come_and_go,
            self._die_as_client,
            self._restart_program,
            self._kill_program,
            self._record,
            self._go_back,
        ]
        random.shuffle(actions)
        if number % ROUNDS_OF_A_WORLD == 0:
            actions.append(self._load)
        self._control.run(real_time_factor=0.0)
        for action in actions:
            action(random)
            name = action.__name__.strip("_")
            self.done[name] = self.done.get(name, 0) + 1
        self._rest()

    def _rest(self) -> None:
        self._control.pause()
        end = time.monotonic() + PATIENCE
        while len(self._control.clients()) > 0 and time.monotonic() < end:
            time.sleep(0.1)

    def _come_and_go(self, random: Random) -> None:
        """Clients see some states and leave."""
        for _ in range(random.randint(1, 4)):
            with Mirror(self._world, self._address, rate_hz=random.choice([0.0, 10.0])) as mirror:
                mirror.connection.wait_for_state(PATIENCE)

    def _die_as_client(self, random: Random) -> None:
        """The process of a client is killed while it receives states."""
        command = [sys.executable, "-m", "tests.soak.subscriber"]
        process = subprocess.Popen(
            [*command, str(self._world.source), self._address], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "receives\n":
                raise ClientError("a subscriber ended before it received a state")
            time.sleep(random.uniform(0.0, 0.5))
        finally:
            process.kill()
            process.communicate()

    def _restart_program(self, _random: Random) -> None:
        self._management.restart_program(self._robot)

    def _kill_program(self, _random: Random) -> None:
        """The program's process dies, and is started again."""
        for program in running_programs(self._folder):
            with suppress(ProcessLookupError):
                os.kill(program, signal.SIGKILL)
        self._management.restart_program(self._robot)

    def _record(self, random: Random) -> None:
        """A record is made, and removed as its user would."""
        self._time.start_record()
        self._some_steps(random)
        record = self._time.stop_record().record
        assert record is not None
        Path(record.path).unlink()

    def _go_back(self, random: Random) -> None:
        """Snapshots are taken, gone back to and dropped."""
        self._time.snapshot("soak")
        self._some_steps(random)
        self._time.restore("soak")
        self._time.drop("soak")
        self._control.run(real_time_factor=0.0)

    def _load(self, _random: Random) -> None:
        """The world is reloaded."""
        for _ in self._management.load(""):
            pass
        self._control.run(real_time_factor=0.0)

    def _some_steps(self, random: Random) -> None:
        first, wanted = self._control.status().step, random.randint(20, 200)
        end = time.monotonic() + PATIENCE
        while self._control.status().step < first + wanted:
            if time.monotonic() > end:
                raise ClientError(f"{wanted} steps were not done within {PATIENCE:g} s")
            time.sleep(0.02)
