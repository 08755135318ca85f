"""A bench as a package of ROS 1, run by roslaunch."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.opening import open_backend
from tests.testbench.launch.test_process_bench import NODES

BENCHES = Path(__file__).parents[3] / "testbenches"

MORE = """
class Talker(Counter):
    def count(self):
        self.number.value += 1
        self.number.flagged = True

class Hearer(Adder):
    def add(self):
        self.total += 1
        if self.total == 5:
            print("heard 5 messages")
            self.terminate()
"""

PAIR = """<launch>
<machine name="rover" address="10.0.0.7" user="pi" port="2222"/>
<node name="talker" pkg="nodes.py" type="Talker"{more}><param name="~output" value="n"/></node>
<node name="hearer" pkg="nodes.py" type="Hearer" required="true" output="screen">
  <param name="~input" value="m"/>
</node>
</launch>"""


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["testbench", *arguments])


def pair(folder: Path, more: str = "") -> Path:
    (folder / "nodes.py").write_text(NODES + MORE)
    file = folder / "pair.xml"
    file.write_text(PAIR.format(more=more))
    return file


def roslaunch(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("roslaunch", path="/usr/bin") is None:
        pytest.skip("roslaunch is not installed: sudo apt-get install python3-roslaunch")
    path = f"/usr/bin:{Path(sys.executable).parent}:{os.defpath}"
    return subprocess.run(
        ["/usr/bin/roslaunch", *arguments],
        env={"PATH": path, "ROS_IP": "127.0.0.1", **environment},
        capture_output=True,
        text=True,
        timeout=60.0,
    )


def test_roslaunch_reads_the_same_nodes(tmp_path: Path) -> None:
    bench = "range_finding"
    assert call("export", str(BENCHES / f"{bench}.xml"), "--out", str(tmp_path)).exit_code == 0
    found = roslaunch("--nodes", str(tmp_path / "launch" / f"{bench}.launch"), HOME=str(tmp_path))
    text = (BENCHES / f"{bench}.xml").read_text()
    assert found.stdout.split() == [
        f"/{part.partition(chr(34))[0]}" for part in text.split('<node name="')[1:]
    ]


def test_roslaunch_runs_the_nodes_with_the_parameters_of_its_own_file(tmp_path: Path) -> None:
    try:
        backend = open_backend("ros1")
    except BackendError as error:
        pytest.skip(str(error))
    package = tmp_path / "autosim_msgs"
    assert call("export", str(pair(tmp_path)), "--out", str(package)).exit_code == 0
    file = package / "launch" / "pair.launch"
    written = file.read_text()
    assert 'name="input" type="str" value="m"' in written
    file.write_text(written.replace('value="m"', 'value="n"'))  # else it hears nothing
    ran = roslaunch(
        str(file),
        ROS_MASTER_URI=backend.address.replace("ros1:", "http:"),
        ROS_PACKAGE_PATH=str(tmp_path),
        ROS_HOME=str(tmp_path),
        HOME=str(tmp_path),
    )
    backend.close()
    said = ran.stdout + ran.stderr
    assert "heard 5 messages" in ran.stdout, said
    assert "REQUIRED process [hearer-2] has died" in said
    assert "process has finished cleanly" in said


def test_machines_prefixes_and_messages_are_written(tmp_path: Path) -> None:
    bench = pair(tmp_path, ' machine="rover" launch-prefix="nice -n 5"')
    assert call("export", str(bench), "--out", str(tmp_path / "out")).exit_code == 0
    written = (tmp_path / "out" / "launch" / "pair.launch").read_text()
    assert '<machine name="rover" address="10.0.0.7" user="pi" ssh-port="2222"' in written
    assert 'launch-prefix="nice -n 5" machine="rover"' in written
    assert "int32 value" in (tmp_path / "out" / "msg" / "Number.msg").read_text()
    assert "uint8 mode" in (tmp_path / "out" / "msg" / "ModeSwitch.msg").read_text()


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    result = call("export", str(pair(tmp_path)), "--out", str(tmp_path / "out" / "package"))
    assert f"{tmp_path / 'out' / 'package'}: cannot be written: Not a directory" in result.output


def test_a_node_that_is_not_in_the_file_is_said(tmp_path: Path) -> None:
    result = call("node", str(pair(tmp_path)), "talkr", "--backend", "local:/nowhere")
    assert "has no node 'talkr'; did you mean 'talker'" in result.output


HELPED = """
from bench_helper import Kind
from autosim_testbench.nodes.node import Node

class Talker(Node):
    def setup(self, arguments):
        self.text = (self.setting.files / self.parameters["words"]).read_text()
        self.advertise(self.find_topic_name("output"), Kind())
"""

HELPER = """
from autosim_testbench.messages.serial_object import MessageField, SerialObject

class Kind(SerialObject):
    value = MessageField("int32")
"""

MOVED = """<launch>
<node name="talker" pkg="helped.py" type="Talker">
  <param name="~output" value="n"/><param name="~words" value="data/words.txt"/>
</node>
</launch>"""


def helped(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "words.txt").write_text("words")
    (folder / "helped.py").write_text(HELPED)
    (folder / "bench_helper.py").write_text(HELPER)
    file = folder / "moved.xml"
    file.write_text(MOVED)
    return file


def test_a_package_holds_all_files_and_no_absolute_path(tmp_path: Path) -> None:
    bench, package = helped(tmp_path / "made_here"), tmp_path / "package"
    result = call("export", str(bench), "--out", str(package))
    assert result.exit_code == 0, result.output
    files = {str(each.relative_to(package)) for each in package.rglob("*") if each.is_file()}
    assert {
        *("bench/moved.xml", "bench/helped.py", "bench/bench_helper.py", "bench/data/words.txt"),
        *("launch/moved.launch", "scripts/run_node", "msg/Kind.msg"),
    } <= files
    written = (package / "launch" / "moved.launch").read_text()
    assert '<arg name="bench" default="$(dirname)/../bench/moved.xml"/>' in written
    assert not any("made_here" in (package / each).read_text() for each in files)


def test_a_file_outside_the_folder_is_not_packed(tmp_path: Path) -> None:
    bench = helped(tmp_path / "made_here")
    words = tmp_path / "words.txt"
    words.write_text("words")
    bench.write_text(MOVED.replace("data/words.txt", str(words)))
    result = call("export", str(bench), "--out", str(tmp_path / "package"))
    assert result.exit_code == 1
    assert f"node 'talker': words is '{words}', which lies outside the folder" in result.output
    assert not (tmp_path / "package").exists()


def test_a_topic_of_two_kinds_is_not_exported(tmp_path: Path) -> None:
    (tmp_path / "nodes.py").write_text(NODES + MORE)
    (tmp_path / "pair.xml").write_text(PAIR.format(more="").replace("Hearer", "Other"))
    with (tmp_path / "nodes.py").open("a") as nodes:
        nodes.write("\nclass Wide(SerialObject):\n    value = MessageField('int64')\n")
        nodes.write("\nclass Other(Adder):\n    def setup(self, arguments):\n")
        nodes.write("        self.subscribe('n', Wide())\n")
    result = call("export", str(tmp_path / "pair.xml"), "--out", str(tmp_path / "package"))
    assert "topic 'n' has different kinds: Number (4 bytes) of talker, Wide (8 " in result.output
