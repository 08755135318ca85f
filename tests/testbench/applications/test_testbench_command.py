"""`autosim testbench`: run, check, topics, graph, echo, hz."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from tests.commands import AUTOSIM

BENCH = str(Path(__file__).parents[3] / "testbenches" / "range_finding.xml")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["testbench", *arguments])


def test_run_writes_a_summary_and_says_it(tmp_path: Path) -> None:
    result = call(
        "run", BENCH, "--headless", "--mode", "1", "--seconds", "4", "--out", str(tmp_path / "out")
    )
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["seconds"] == 4.0
    assert summary["topics"]["virtual/range"]["sent"] == pytest.approx(60, abs=2)
    assert summary["topics"]["physical/range"]["received"] == 0, "mode 1 does not listen to it"
    assert "points plotted" in result.output
    assert (tmp_path / "out" / "sense_points.csv").exists()


def test_the_examples_of_run_end_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(BENCH).parents[1])
    lines = (call("run", "--help").output.partition("Example:")[2]).splitlines()
    examples = [each.split()[2:] for each in lines if each.strip()]
    assert len(examples) > 1
    for words in examples:
        place = words.index("--seconds")
        words[place + 1] = "0.5"
        result = call(*(each for each in words if each not in ("--out", "out/run")), "--headless")
        assert result.exit_code == 0, result.output


def test_the_same_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        call("run", BENCH, "--headless", "--seconds", "2", "--out", str(tmp_path / name))
    for file in ("summary.json", "sense_points.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_ctrl_c_ends_a_bench_and_its_processes_which_write_their_results(tmp_path: Path) -> None:
    command = [*AUTOSIM, "testbench", "run", BENCH, "--headless", "--backend", "local"]
    with subprocess.Popen(
        [*command, "--out", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert "Ctrl+C ends the bench" in process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        output, _ = process.communicate(timeout=60.0)
    assert process.returncode == 0, output
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["failed"] == {}
    assert (tmp_path / "out" / "sense_points.csv").exists()


def test_check_counts_nodes_and_topics() -> None:
    assert "6 nodes, 6 topics" in call("check", BENCH).output


def test_check_names_a_topic_that_nobody_publishes(tmp_path: Path) -> None:
    text = Path(BENCH).read_text().replace('value="virtual/true_range"', 'value="elsewhere"', 1)
    file = tmp_path / "bench.xml"
    file.write_text(text)
    for scene in ("physical", "virtual"):
        name = f"range_finding_{scene}_scene.xml"
        (tmp_path / name).write_bytes((Path(BENCH).parent / name).read_bytes())
    result = call("check", str(file))
    assert result.exit_code == 1
    assert "'virtual/true_range' has no publisher; range_finder subscribes to it" in result.output


def test_check_warns_of_a_parameter_that_its_node_does_not_use(tmp_path: Path) -> None:
    for each in Path(BENCH).parent.glob("range_finding*.xml"):
        text = each.read_text().replace('name="~delay"', 'name="~dealy"')
        (tmp_path / each.name).write_text(text)
    file = tmp_path / "range_finding.xml"
    result = call("check", str(file))
    assert result.exit_code == 0
    assert result.output.startswith(
        f"{file}:18: warning: node range_finder does not use its parameter 'dealy'; did you mean "
        "'delay'"
    )
    assert "warning" not in call("check", BENCH).output


def test_topics_have_kinds_and_ends() -> None:
    found = json.loads(call("topics", BENCH, "--json").output)
    assert found["range"] == {
        "kind": "Range",
        "bytes": 4,
        "publishers": ["range_combiner"],
        "subscribers": ["sense"],
    }
    assert "turntable → environment, heading" in call("topics", BENCH).output


def test_graph_draws_each_node_and_topic(tmp_path: Path) -> None:
    file = tmp_path / "graph.svg"
    assert call("graph", BENCH, "--out", str(file)).exit_code == 0
    picture = file.read_text()
    for name in ("turntable", "sense", "virtual/true_range"):
        assert f">{name}</text>" in picture


def test_echo_prints_messages() -> None:
    lines = call("echo", BENCH, "heading", "--seconds", "0.5").output.splitlines()
    assert len(lines) == 8
    assert "angle 1.5" in lines[0]


def test_hz_tells_the_rate() -> None:
    assert (
        "physical/range: 100 messages, 16.68 Hz"
        in call("hz", BENCH, "physical/range", "--seconds", "6").output
    )


def test_a_backend_that_others_can_listen_to_is_warned_of() -> None:
    result = call("node", BENCH, "sense", "--backend", "ros1://127.0.0.1:1")
    assert "warning: ROS 1 has neither passwords nor encryption" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "no.xml"), "no.xml"),
        (
            ("run", BENCH, "--headless", "--backend", "carrier-pigeon"),
            "no backend is called 'carrier-pigeon'",
        ),
        (("run", BENCH, "--mode", "3"), "3 is not in the range 0<=x<=2"),
        (("echo", BENCH, "rang"), "the bench has no topic 'rang'; did you mean 'range'"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code != 0
    assert message in result.output
    assert "Traceback" not in result.output


def test_nodes_of_others_are_set_up_only_with_trust(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "mine.py").write_text(
        f"open({str(marker)!r}, 'w').close()\n"
        "from autosim_testbench.nodes.node import Node\n"
        "class Mine(Node):\n"
        "    def setup(self, arguments):\n        pass\n"
    )
    file = tmp_path / "bench.xml"
    file.write_text('<launch>\n  <node name="mine" pkg="mine.py" type="Mine"/>\n</launch>')
    for command in ("check", "topics", "graph"):
        result = call(command, str(file))
        assert result.exit_code == 1
        assert f"{file}:2: error: node 'mine' is code of 'mine.py', and was not" in result.output
    assert not marker.exists()
    assert call("check", str(file), "--trust").exit_code == 0
    assert marker.exists()
