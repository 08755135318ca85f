"""A bench whose nodes have processes of their own."""

import os
from functools import partial
from pathlib import Path

import pytest

from autosim.errors import UserError
from autosim.helper_processes.nonblocking_output import OutputPump
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.embedded import EmbeddedBackend
from autosim_testbench.backends.local import LocalBackend
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.launch import delivery_order, process_bench
from autosim_testbench.launch.bench import BenchOptions, run_launch
from autosim_testbench.launch.delivery_order import OrderedConnection
from autosim_testbench.launch.launch_file import Launch, load_launch
from autosim_testbench.launch.process_bench import ProcessBench
from autosim_testbench.messages.envelope import read_envelope, seal
from autosim_testbench.nodes.reality import ModeSwitch

NODES = """
import os
from autosim_testbench.messages.serial_object import MessageField, SerialObject
from autosim_testbench.nodes.node import Node

class Number(SerialObject):
    value = MessageField("int32")

class Counter(Node):
    def setup(self, arguments):
        self.number = Number()
        self.advertise(self.find_topic_name("output"), self.number)
        self.register_core_function(self.count)
    def count(self):
        self.number.value += 1
        self.number.flagged = self.number.value <= 100
        if self.number.value > 100 and self.parameters.get("ends") == "yes":
            self.terminate()

class Adder(Node):
    def setup(self, arguments):
        self.total, self.number = 0, Number()
        name = self.find_topic_name("input")
        self.subscribe(name, self.number)
        self.register_input_function(name, self.add)
    def add(self):
        self.total += self.number.value
        print("total", self.total)
        if self.number.value == 100:
            self.terminate()
    def report(self):
        return {"total": self.total, "pid": os.getpid()}

class Chatterer(Counter):
    def setup(self, arguments):
        super().setup(arguments)
        print("x" * 100_000)
        print("the end", flush=True)
    def count(self):
        super().count()
        if self.number.value == 1:
            os._exit(7)

class Crasher(Counter):
    def count(self):
        raise RuntimeError("oh no")
"""

PAIR = """<launch>
<node name="counter" pkg="nodes.py" type="{kind}" {more}><param name="~output" value="n"/></node>
<node name="adder" pkg="nodes.py" type="Adder" required="true">
  <param name="~input" value="n"/>
</node>
</launch>"""


def launch(folder: Path, kind: str = "Counter", more: str = "") -> Launch:
    (folder / "nodes.py").write_text(NODES)
    file = folder / "bench.xml"
    file.write_text(PAIR.format(kind=kind, more=more))
    return load_launch(file)


def run(launched: Launch, folder: Path | None = None, seconds: float = 30.0) -> dict:
    backend = LocalBackend()
    try:
        with ProcessBench(launched, backend, BenchOptions(seconds, folder=folder)) as bench:
            return bench.run()
    finally:
        backend.close()


def test_nodes_in_processes_lose_nothing_and_report(tmp_path: Path) -> None:
    summary = run(launch(tmp_path), tmp_path)
    assert summary["nodes"]["adder"]["total"] == 5050
    assert summary["nodes"]["adder"]["pid"] != os.getpid()
    topic = summary["topics"]["n"]
    assert (topic["received"], topic["lost"], topic["rejected"]) == (100, 0, {})
    assert topic["lag_ms"]["p50"] > 0.0
    assert summary["failed"] == {}
    assert (tmp_path / "adder.log").read_text().splitlines()[-1] == "total 5050"


@pytest.mark.parametrize("name", ["local", "ros2"])
def test_in_step_processes_do_what_one_process_does(name: str, tmp_path: Path) -> None:
    launched = launch(tmp_path)
    try:
        backend = open_backend(name)
    except BackendError as error:
        pytest.skip(str(error))
    with ProcessBench(launched, backend, BenchOptions(30.0, in_step=True)) as bench:
        apart = bench.run()
    backend.close()
    together = run_launch(launched, BenchOptions(30.0))
    assert apart["nodes"]["adder"]["total"] == together["nodes"]["adder"]["total"] == 5050
    assert apart["topics"] == together["topics"], "to the last lag"
    assert apart["seconds"] == together["seconds"]
    assert apart["failed"] == {}


def test_a_message_that_is_lost_ends_a_node_in_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery_order, "_LATEST_SECONDS", 0.1)
    connection, got = OrderedConnection(EmbeddedBackend().connect("node")), []
    connection.subscribe("n", got.append)
    message = seal(ModeSwitch(mode=1), publisher=3, sequence=0, now_ns=0)
    connection.publish("n", message)
    assert connection.take_published() == [("n", 3, 0)]
    connection.expect([("n", 3, 0), ("other", 1, 1), ("n", 3, 1)])
    with pytest.raises(BackendError, match="message 1 of 'n' was lost on its way"):
        connection.process()
    assert got == [message]


def test_messages_come_in_the_order_that_is_told_until_the_topic_is_left() -> None:
    connection, got = OrderedConnection(EmbeddedBackend().connect("node")), []

    def take(data: bytes) -> None:
        got.append(read_envelope(data).sequence)
        if len(got) == 3:
            connection.unsubscribe("n")

    connection.subscribe("n", take)
    for sequence in range(5):
        connection.publish("n", seal(ModeSwitch(), publisher=3, sequence=sequence, now_ns=0))
    connection.expect([("n", 3, sequence) for sequence in (1, 0, 3, 2, 4)])
    assert connection.process() == 3
    assert got == [1, 0, 3]


def test_a_node_that_cannot_start_is_said_as_its_file_says_it(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"bench.xml:2: error: node 'counter': nodes.py has no node"
    ):
        run(launch(tmp_path, "Countr"))


def test_a_node_that_fails_is_named_in_the_summary(tmp_path: Path) -> None:
    summary = run(launch(tmp_path, "Crasher"), tmp_path, seconds=1.0)
    assert list(summary["failed"]) == ["counter"]
    assert summary["failed"]["counter"].endswith("RuntimeError: oh no")
    assert "/nodes.py:" in summary["failed"]["counter"]
    assert "oh no" in (tmp_path / "counter.log").read_text()


def test_a_prefix_runs_the_process(tmp_path: Path) -> None:
    summary = run(launch(tmp_path, more='launch-prefix="env MARK=1"'))
    assert summary["nodes"]["adder"]["total"] == 5050
    with pytest.raises(UserError, match="node counter: no-such-program: No such file"):
        run(launch(tmp_path, more='launch-prefix="no-such-program"'))


def test_the_log_of_a_node_is_cut_at_the_limit_of_log_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = partial(OutputPump, most_file_bytes=1000)
    monkeypatch.setattr(process_bench, "OutputPump", limited)
    run(launch(tmp_path, "Chatterer"), tmp_path, seconds=0.1)
    log = (tmp_path / "counter.log").read_text()
    assert log == "x" * 1000 + "\n... the log file is full: all further output is left out\n"


def test_the_last_line_of_a_node_is_read_at_the_end_of_its_log(tmp_path: Path) -> None:
    summary = run(launch(tmp_path, "Chatterer"), tmp_path, seconds=3.0)
    assert summary["failed"]["counter"] == "its process ended with exit code 7: the end"
