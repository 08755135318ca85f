"""A bench as a package of ROS 1: its nodes in a launch file, its messages as `.msg` files.

`roslaunch` starts the same nodes over the same topics. The parameters stand in its launch file, and
what is changed there counts. The package holds the bench's own files, so that it can be moved to
another folder or machine.
"""

import re
from pathlib import Path
from xml.sax.saxutils import quoteattr

from autosim.config.launches import Machine, NodeEntry
from autosim.errors import UserError
from autosim_testbench.applications.bench_files import files_of_bench
from autosim_testbench.applications.topology import Topology, topology_of
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.messages.ros_message import PACKAGE, ros_definition
from autosim_testbench.messages.serial_object import SerialObject
from autosim_testbench.nodes.reality import ModeSwitch

_BENCH = "bench"
"""Folder of the package with the bench's launch file, nodes and data."""

_RUNNER = "run_node"

_RUNNER_SCRIPT = """\
#!/bin/sh
# Runs one node of a bench of AutoSim: the launch file, its name, and what roslaunch adds.
exec autosim testbench node "$1" "$2" --backend "ros1://${ROS_MASTER_URI#http://}"
"""

_MANIFEST = f"""\
<?xml version="1.0"?>
<package format="2">
  <name>{PACKAGE}</name>
  <version>0.1.0</version>
  <description>Messages and nodes of a test bench of AutoSim.</description>
  <maintainer email="maintainer@example.com">AutoSim</maintainer>
  <license>Apache-2.0</license>
  <buildtool_depend>catkin</buildtool_depend>
  <build_depend>message_generation</build_depend>
  <exec_depend>message_runtime</exec_depend>
</package>
"""

_BUILD = """\
cmake_minimum_required(VERSION 3.0.2)
project({package})
find_package(catkin REQUIRED COMPONENTS message_generation)
add_message_files(FILES {messages})
generate_messages()
catkin_package(CATKIN_DEPENDS message_runtime)
install(PROGRAMS scripts/{runner} DESTINATION ${{CATKIN_PACKAGE_BIN_DESTINATION}})
install(DIRECTORY bench launch DESTINATION ${{CATKIN_PACKAGE_SHARE_DESTINATION}})
"""


def export_package(launch: Launch, folder: Path) -> list[Path]:
    """Writes the package, and returns its files.

    Raises:
        UserError: a node cannot be set up, two kinds of messages have one name or go over one
            topic, or a file lies outside the launch file's folder or cannot be written.
    """
    topology = topology_of(launch, is_trusted=True)
    for name, uses in topology.conflicts.items():
        raise UserError(f"{launch.file}: error: topic {name!r} has different kinds: {uses}")
    kinds = _kinds(topology)
    messages = " ".join(f"{name}.msg" for name in kinds)
    texts = {
        "package.xml": _MANIFEST,
        "CMakeLists.txt": _BUILD.format(package=PACKAGE, messages=messages, runner=_RUNNER),
        f"scripts/{_RUNNER}": _RUNNER_SCRIPT,
        f"launch/{launch.file.stem}.launch": ros_launch_file(launch),
        **{f"msg/{name}.msg": ros_definition(kind) for name, kind in kinds.items()},
    }
    contents = {name: text.encode() for name, text in texts.items()}
    try:
        for path, file in files_of_bench(launch).items():
            contents[f"{_BENCH}/{path}"] = file.read_bytes()
        for name, content in contents.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (folder / "scripts" / _RUNNER).chmod(0o755)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None
    return [folder / name for name in contents]


def ros_launch_file(launch: Launch) -> str:
    """The launch file of ROS for the nodes of ours."""
    bench = f"$(dirname)/../{_BENCH}/{launch.file.name}"
    machines = {each.machine.name: each.machine for each in launch.nodes if each.machine}
    lines = [
        '<?xml version="1.0"?>',
        f"<!-- The nodes of {launch.file.name}, for roslaunch. -->",
        "<launch>",
        f'  <arg name="bench" default={quoteattr(bench)}/>',
        *(_machine(each) for each in machines.values()),
    ]
    for each in launch.nodes:
        lines += _node(each)
    return "\n".join([*lines, "</launch>", ""])


def _kinds(topology: Topology) -> dict[str, type[SerialObject]]:
    found: dict[str, type[SerialObject]] = {ModeSwitch.__name__: ModeSwitch}
    for topic in topology.topics.values():
        known = found.setdefault(topic.kind.__name__, topic.kind)
        if known.type_id() != topic.kind.type_id():
            raise UserError(
                f"two kinds of messages are called {known.__name__}, of which one goes over "
                f"{topic.name!r}: a package of ROS holds one of each name"
            )
    return dict(sorted(found.items()))


def _machine(machine: Machine) -> str:
    user = f" user={quoteattr(machine.user)}" if machine.user else ""
    return (
        f"  <machine name={quoteattr(machine.name)} address={quoteattr(machine.address)}{user} "
        f'ssh-port="{machine.port}" env-loader="/opt/ros/noetic/env.sh"/>'
    )


def _node(entry: NodeEntry) -> list[str]:
    attributes = {
        "pkg": PACKAGE,
        "type": _RUNNER,
        "name": entry.name,
        "args": f"$(arg bench) {entry.name}",
        "output": "screen" if entry.is_on_screen else "log",
    }
    if entry.is_required:
        attributes["required"] = "true"
    if entry.launch_prefix:
        attributes["launch-prefix"] = entry.launch_prefix
    if entry.machine:
        attributes["machine"] = entry.machine.name
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    lines = [f"  <node {written}>"]
    for name, value in entry.parameters.items():
        if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            lines.append(f'    <param name={quoteattr(name)} type="str" value={quoteattr(value)}/>')
        else:
            lines.append(f"    <!-- {name} = {value}: no name in ROS, and so only in the bench -->")
    return [*lines, "  </node>"]
