"""Launch files: what they say, and each kind of fault with its line."""

from pathlib import Path

import pytest

from autosim.config.diagnostics import ConfigError
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.launch.node_classes import node_class, refuse_foreign_nodes

NODE = 'pkg="autosim_testbench.range_finding.sense" type="Sense"'


FORMER = 'pkg="autosim.testbench.range_finding.sense" type="Sense"'
"""A node under the name that it had inside the core package."""


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "bench.xml"
    file.write_text(f"<launch>\n{text}\n</launch>\n")
    return file


def test_a_node_has_its_own_settings_and_those_of_all(tmp_path: Path) -> None:
    launch = load_launch(
        write(
            tmp_path,
            f"""<param name="mode" value="1"/><param name="rate" value="5"/>
            <machine name="rover" address="10.0.0.7" user="pi"/>
            <node name="a" {NODE} required="true" output="screen" machine="rover">
              <param name="~mode" value="2"/><param name="heading" value="h"/>
            </node>""",
        )
    )
    (node,) = launch.nodes
    assert node.parameters == {"mode": "2", "rate": "5", "heading": "h"}
    assert node.is_required
    assert node.is_on_screen
    assert node.machine is not None
    assert (node.machine.user, node.machine.address, node.machine.port) == ("pi", "10.0.0.7", 22)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"bench.xml:1: error: a bench needs one <node> at least"),
        (f"<node {NODE}/>", r"bench.xml:2: error: <node>.*name"),
        (f'<node name="a" {NODE}/><node name="a" {NODE}/>', r"bench.xml:2: error: .*'a'"),
        (f'<node name="a" {NODE} required="maybe"/>', r"bench.xml:2: error: .*required.*maybe"),
        (f'<node name="a" {NODE} output="file"/>', r"bench.xml:2: error: .*output.*screen"),
        (
            f'<machine name="rover" address="r"/><node name="a" {NODE} machine="rovr"/>',
            r"bench.xml:2: error: <node> 'a': no <machine> is called 'rovr'.*rover",
        ),
        (f'<node name="a" {NODE}><param value="x"/></node>', r"bench.xml:2: error: .*param.*name"),
    ],
)
def test_a_fault_is_said_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_launch(write(tmp_path, text))


@pytest.mark.parametrize(
    ("pkg", "kind", "message"),
    [
        (
            "no.such.module",
            "Sense",
            r"bench.xml:2: error: node 'a': cannot import 'no.such.module'",
        ),
        ("autosim_testbench.range_finding.sense", "Sens", r"has no node 'Sens'.*Sense"),
        ("nodes.py", "Sense", r"cannot import 'nodes.py'"),
    ],
)
def test_a_class_that_is_not_there_is_said(
    tmp_path: Path, pkg: str, kind: str, message: str
) -> None:
    launch = load_launch(write(tmp_path, f'<node name="a" pkg="{pkg}" type="{kind}"/>'))
    with pytest.raises(ConfigError, match=message):
        node_class(launch.file, launch.nodes[0])


def test_a_file_beside_the_launch_file_defines_nodes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from autosim_testbench.nodes.node import Node\nclass Mine(Node):\n    pass\n"
    )
    launch = load_launch(write(tmp_path, '<node name="a" pkg="mine.py" type="Mine"/>'))
    assert node_class(launch.file, launch.nodes[0]).__name__ == "Mine"


def test_a_former_name_is_refused_with_the_present_one(tmp_path: Path) -> None:
    launch = load_launch(write(tmp_path, f'<node name="a" {FORMER}/>'))
    refuse_foreign_nodes(launch)
    with pytest.raises(
        ConfigError,
        match=r"bench.xml:2: error: node 'a': .* is called "
        r"'autosim_testbench.range_finding.sense' now",
    ):
        node_class(launch.file, launch.nodes[0])
