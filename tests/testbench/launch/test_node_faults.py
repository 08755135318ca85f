"""Nodes whose code fails: one message with file and line, and the results of the others."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim_testbench.launch.bench import BenchOptions, run_launch
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.launch.node_process import order_of
from autosim_testbench.nodes.node import PERIOD

KINDS = """
from autosim_testbench.messages.serial_object import MessageField, SerialObject

class Wind(SerialObject):
    speed = MessageField("float32", unit="m/s")
"""

NODES = """
from wind_of_{name} import Wind
from autosim_testbench.messages.kinds import Scalar
from autosim_testbench.nodes.node import Node

class Source(Node):
    def setup(self, arguments):
        self.wind, self.turns = Wind(), 0
        self.advertise("wind", self.wind)
        self.register_core_function(self.blow)
        self.register_exit_function(self.leave)
        self.fail_in("setup")
    def blow(self):
        self.turns += 1
        if self.turns == 20:
            self.fail_in("turn")
        self.wind.flagged = True
    def leave(self):
        self.fail_in("exit")
    def report(self):
        self.fail_in("report")
        return {{"turns": self.turns}}
    def figures(self):
        self.fail_in("figures")
        return {{}}
    def fail_in(self, place):
        if self.parameters.get("fails") == place:
            raise ValueError("calm")

class Sink(Node):
    def setup(self, arguments):
        self.wind = Scalar() if self.parameters.get("kind") == "scalar" else Wind()
        self.count = 0
        self.subscribe("wind", self.wind)
        self.register_input_function("wind", self.see)
    def see(self):
        self.count += 1
    def report(self):
        return {{"seen": self.count}}
"""
LINE_OF_FAULT = 1 + next(n for n, each in enumerate(NODES.split("\n")) if "ValueError" in each)

BENCH = """<launch>
<node name="source" pkg="nodes.py" type="Source"{required}>
<param name="~fails" value="{fails}"/></node>
<node name="sink" pkg="nodes.py" type="Sink"><param name="~kind" value="{kind}"/></node>
</launch>"""


def bench(folder: Path, fails: str = "never", kind: str = "wind", required: str = "") -> Path:
    name = re.sub(r"\W", "_", folder.name)
    (folder / f"wind_of_{name}.py").write_text(KINDS)
    (folder / "nodes.py").write_text(NODES.format(name=name))
    file = folder / "bench.xml"
    file.write_text(BENCH.format(fails=fails, kind=kind, required=required))
    return file


def call(command: str, *arguments: object) -> Result:
    return CliRunner().invoke(main, ["testbench", command, *map(str, arguments)])


def run(file: Path, *arguments: object) -> Result:
    return call("run", file, "--headless", "--seconds", 0.5, *arguments)


def test_a_node_imports_a_module_of_its_folder(tmp_path: Path) -> None:
    summary = run_launch(load_launch(bench(tmp_path)), BenchOptions(0.5))
    assert summary["nodes"] == {"source": {"turns": 100}, "sink": {"seen": 100}}
    assert summary["failed"] == {}


def test_modules_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    code = "from autosim_testbench.nodes.node import Node\nimport shared_by_two\n"
    code += "class It(Node):\n  def setup(self, arguments): pass\n"
    code += "  def report(self): return {'value': shared_by_two.VALUE}\n"
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "shared_by_two.py").write_text(f"VALUE = {name!r}\n")
        (folder / "it.py").write_text(code)
        (folder / "b.xml").write_text('<launch><node name="n" pkg="it.py" type="It"/></launch>')
        found = run_launch(load_launch(folder / "b.xml"), BenchOptions(0.01))
        assert found["nodes"] == {"n": {"value": name}}


@pytest.mark.parametrize("backend", ["embedded", "local"])
def test_a_fault_in_setup_is_one_line_with_node_file_and_line(tmp_path: Path, backend: str) -> None:
    result = run(bench(tmp_path, "setup"), "--backend", backend)
    assert result.exit_code == 1
    (line,) = result.output.strip().split("\n")
    assert line.startswith(f"{tmp_path}/bench.xml:2: error: node 'source' failed in its set-up: ")
    assert f'nodes.py:{LINE_OF_FAULT}, in fail_in (raise ValueError("calm"))' in line
    assert line.endswith("ValueError: calm")


@pytest.mark.parametrize("place", ["turn", "exit", "report", "figures"])
@pytest.mark.parametrize("backend", ["embedded", "local"])
def test_a_node_that_fails_costs_the_others_nothing(
    tmp_path: Path, place: str, backend: str
) -> None:
    out = tmp_path / "out"
    # In step, so that the number of turns is known.
    more = ("--lockstep",) if backend == "local" else ()
    result = run(bench(tmp_path, place), "--backend", backend, *more, "--out", out)
    assert result.exit_code == 1
    assert f"error: node 'source' failed: {tmp_path}/nodes.py:{LINE_OF_FAULT}" in result.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["failed"]["source"].endswith("ValueError: calm")
    assert summary["nodes"]["sink"] == {"seen": 19 if place == "turn" else 100}
    wind = summary["topics"]["wind"]
    assert wind["sent"] == wind["received"] == summary["nodes"]["sink"]["seen"]
    assert summary["seconds"] == pytest.approx(0.5), "the other has gone on"
    assert "in blow" in (out / "source.log").read_text() or place != "turn"


def test_a_required_node_that_fails_ends_the_bench(tmp_path: Path) -> None:
    file = bench(tmp_path, "turn", required=' required="true"')
    summary = run_launch(load_launch(file), BenchOptions(0.5))
    assert summary["seconds"] == pytest.approx(20 * PERIOD)
    assert summary["nodes"]["source"] == {"turns": 20}


def test_a_fault_on_import_has_its_line(tmp_path: Path) -> None:
    file = bench(tmp_path)
    (tmp_path / "nodes.py").write_text("\nimport no_such_module_here\n")
    output = run(file).output
    assert f"cannot import 'nodes.py': {tmp_path}/nodes.py:2, in <module>" in output
    assert "No module named 'no_such_module_here'" in output
    (tmp_path / "nodes.py").unlink()
    file.write_text(file.read_text().replace("nodes.py", "gone.py"))
    assert f"cannot import 'gone.py': there is no file {tmp_path}/gone.py" in run(file).output


def test_a_topic_of_two_kinds_is_refused_by_check_and_fails_a_run(tmp_path: Path) -> None:
    file = bench(tmp_path, kind="scalar")
    checked = call("check", "--trust", file)
    assert checked.exit_code == 1
    assert "topic 'wind' has different kinds of messages" in checked.output
    assert "Wind (4 bytes) of source, Scalar (8 bytes) of sink" in checked.output
    ran = run(file)
    assert ran.exit_code == 1
    assert "error: topic 'wind': 100 messages were rejected" in ran.output
    assert "topic 'wind' has different kinds" in call("echo", file, "wind").output


def plain_check(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def test_the_plain_check_finds_two_kinds_without_running_the_nodes(tmp_path: Path) -> None:
    file = bench(tmp_path)
    nodes = (tmp_path / "nodes.py").read_text()
    assert plain_check(file).exit_code == 0
    ran = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    (tmp_path / "nodes.py").write_text(
        nodes.replace('Scalar() if self.parameters.get("kind") == "scalar" else Wind()', "Scalar()")
        + ran
    )
    result = plain_check(file)
    assert result.exit_code == 1
    assert (
        f"{file}:4: error: topic 'wind' has different kinds of messages: "
        "Wind of source, Scalar of sink" in result.output
    )
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ('type="Sink"', 'type="Snik"', ":4: error: node 'sink': nodes.py has no node 'Snik'"),
        ("nodes.py", "gone.py", ":2: error: node 'source': cannot read "),
        (
            '"sink"',
            '"sink" machine="lab"',
            ":4: error: <node> 'sink': no <machine> is called 'lab'",
        ),
    ],
)
def test_the_plain_check_finds_nodes_that_are_not_there(
    tmp_path: Path, before: str, after: str, fault: str
) -> None:
    file = bench(tmp_path)
    file.write_text(file.read_text().replace(before, after))
    result = plain_check(file)
    assert result.exit_code == 1
    assert f"{file}{fault}" in result.output


def test_a_trusted_plain_check_sets_the_nodes_up(tmp_path: Path) -> None:
    result = plain_check("--trust", bench(tmp_path, "setup"))
    assert result.exit_code == 1
    assert "node 'source' failed in its set-up" in result.output


def test_turns_are_as_long_in_a_process_as_in_a_stepped_bench() -> None:
    entry = load_launch("testbenches/range_finding.xml").nodes[0]
    order = order_of(entry, file=Path("b.xml"), backend="local:", seed=0, folder=None)
    assert json.loads(order)["period"] == PERIOD == BenchOptions().period
