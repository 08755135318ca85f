"""Nodes on another machine, which here is this one, behind an ssh server of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim.config.launches import Machine
from autosim.errors import UserError
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.launch.bench import BenchOptions
from autosim_testbench.launch.launch_file import Launch, load_launch
from autosim_testbench.launch.machines import ssh_command
from autosim_testbench.launch.node_process import order_of
from autosim_testbench.launch.process_bench import ProcessBench

from .ssh_server import SshServer
from .test_process_bench import NODES

BENCH = """<launch>
<machine name="there" address="127.0.0.1" port="{port}" python="{python}"/>
<node name="counter" pkg="nodes.py" type="{kind}" machine="there">
  <param name="~output" value="n"/></node>
<node name="adder" pkg="nodes.py" type="Adder"{more} required="true">
  <param name="~input" value="n"/></node>
</launch>"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    try:
        started = SshServer(tmp_path_factory.mktemp("ssh"))
    except FileNotFoundError as error:
        pytest.skip(str(error))
    yield started
    started.close()


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch, server: SshServer) -> None:
    monkeypatch.setenv("PATH", str(server.bin), prepend=os.pathsep)


def launch(folder: Path, port: int, kind: str = "Counter", more: str = "") -> Launch:
    (folder / "nodes.py").write_text(NODES)
    python = folder / "python"  # the working directory is another one there
    python.write_text(f'#!/bin/sh\ncd {Path.cwd()}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    file = folder / "bench.xml"
    file.write_text(BENCH.format(port=port, kind=kind, more=more, python=python))
    return load_launch(file)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def ends(pid: int, seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


@pytest.mark.parametrize("backend", ["local", "zenoh"])  # by a socket, and by a port
def test_a_backend_of_the_benchs_own_reaches_another_machine(
    backend: str, server: SshServer, tmp_path: Path
) -> None:
    try:
        opened = open_backend(backend)
    except BackendError as error:
        pytest.skip(str(error))
    launched = launch(tmp_path, server.port, more=' machine="there"')
    left = set(Path("/tmp").glob("autosim-*"))
    try:
        with ProcessBench(launched, opened, BenchOptions(30.0)) as bench:
            summary = bench.run()
    finally:
        opened.close()
    assert summary["nodes"]["adder"]["total"] == 5050
    assert summary["topics"]["n"]["lost"] == 0
    assert summary["failed"] == {}
    assert ends(summary["nodes"]["adder"]["pid"])
    sockets = {each for each in Path("/tmp").glob("autosim-*") if each.is_socket()}
    assert not sockets - left, "what ssh has made for the bench is gone"


SLEEPER = """
import os
from pathlib import Path
class Sleeper(Counter):
    def setup(self, arguments):
        super().setup(arguments)
        self.register_init_function(lambda: Path("{folder}/pid").write_text(str(os.getpid())))
        self.register_exit_function(lambda: Path("{folder}/ended").write_text("yes"))
"""


def sleeper(folder: Path, port: int) -> Launch:
    launched = launch(folder, port, "Sleeper")
    (folder / "nodes.py").write_text(NODES + SLEEPER.format(folder=folder))
    return launched


def pid_of(folder: Path) -> int:
    file = folder / "pid"
    while not (file.exists() and file.read_text()):
        time.sleep(0.02)
    return int(file.read_text())


def test_a_connection_that_is_lost_is_said_and_ends_the_node_there(
    server: SshServer, tmp_path: Path
) -> None:
    opened = open_backend("local")
    launched = sleeper(tmp_path, server.port)
    pids: list[int] = []

    def cut() -> None:
        if not pids:
            pids.append(pid_of(tmp_path))
            server.cut()
        elif bench.nodes[0].has_ended:
            bench.stop()

    with ProcessBench(launched, opened, BenchOptions(30.0)) as bench:
        summary = bench.run(after_turn=cut)
    opened.close()
    assert list(summary["failed"]) == ["counter"]
    assert f"ssh to 127.0.0.1, port {server.port}, ended: " in summary["failed"]["counter"]
    assert ends(pids[0])
    assert (tmp_path / "ended").read_text() == "yes", "its exit functions stop its motors"


def test_a_node_that_fails_there_is_named_with_what_it_said(
    server: SshServer, tmp_path: Path
) -> None:
    opened = open_backend("local")
    with ProcessBench(launch(tmp_path, server.port, "Crasher"), opened, BenchOptions(1.0)) as bench:
        summary = bench.run()
    opened.close()
    assert list(summary["failed"]) == ["counter"]
    assert summary["failed"]["counter"].endswith("RuntimeError: oh no")
    assert "/nodes.py:" in summary["failed"]["counter"]


def test_a_machine_that_is_not_there_is_said(tmp_path: Path) -> None:
    opened = open_backend("local")
    with pytest.raises(
        UserError, match=r"node counter: ssh to 127\.0\.0\.1, port 1, ended: .*refu"
    ):
        ProcessBench(launch(tmp_path, 1), opened, BenchOptions(1.0))
    opened.close()


def test_a_node_ends_where_nothing_is_heard_of_its_bench(tmp_path: Path) -> None:
    launched = sleeper(tmp_path, 22)
    opened = open_backend("local")
    order = order_of(
        launched.nodes[0],
        file=launched.file,
        backend=opened.address,
        seed=0,
        folder=None,
        silence=0.2,
    )
    with subprocess.Popen(
        [sys.executable, "-m", "autosim_testbench.launch.node_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdin.write(f"{order}\ngo\n".encode())
        process.stdin.flush()
        assert process.wait(20.0) == 0, "though its input is still open"
    opened.close()
    assert (tmp_path / "ended").read_text() == "yes"


@pytest.mark.parametrize(
    ("backend", "carried"),
    [
        ("amqp://autosim:word@127.0.0.1:5001", "-R 127.0.0.1:PORT:127.0.0.1:5001"),
        ("zenoh:tls/localhost:5002", "-R 127.0.0.1:PORT:localhost:5002"),
        ("mqtts://broker.example:8883", ""),
        ("ros1://robot:11311", ""),
    ],
)
def test_only_what_listens_on_this_machine_alone_is_carried(backend: str, carried: str) -> None:
    machine = Machine("there", "10.0.0.7", "pi", 22, "python3", "")
    command, address = ssh_command(machine, ["true"], backend)
    port = address.rpartition(":")[2]
    assert ("-R" in command) == bool(carried)
    assert carried.replace("PORT", port) in " ".join(command)
    assert (address == backend) == (not carried)
    assert "word" not in " ".join(command), "passwords are not for everyone who lists processes"


def test_nodes_of_ros_need_a_master_that_both_machines_reach() -> None:
    machine = Machine("there", "10.0.0.7", "pi", 22, "python3", "")
    with pytest.raises(UserError, match="take --backend ros1://HOST"):
        ssh_command(machine, ["true"], "ros1://127.0.0.1:11311")
