"""A bench as a package of ROS 1, run by roslaunch."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim.testbench.backends.opening import open_backend
from autosim.testbench.backends.seam import BackendError
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
