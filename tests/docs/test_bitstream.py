"""docs/bitstream.md: its example reads a server's state, by the page and the contract alone."""

import ast
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from autosim.client.link.credentials import Credentials
from autosim.config.descriptions import Publication, PublishedColumn
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.model.state import State
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.codec.tree_codec import tree_to_message
from tests.server.light_simulation import light_options, light_world
from tests.worlds import ROOT

PAGE = (ROOT / "docs" / "bitstream.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def world_with_all_shapes():
    """One robot with numbers, a text, a table, and a list."""
    world = light_world()
    (robot,) = world.robots
    more = (GPSSensor("gps", "box"), LidarSensor("lidar", "box", channels=2, columns=3))
    columns = (PublishedColumn("x", "m"), PublishedColumn("y", "m"))
    made_of = replace(
        robot.robot,
        devices=(*robot.robot.devices, *more),
        publications=(Publication("plan", columns, 4),),
    )
    return replace(world, robots=(replace(robot, robot=made_of),))


@pytest.fixture
def example():
    names = {"__name__": "example"}
    exec(compile(EXAMPLE, "bitstream.md", "exec"), names)
    return names


def test_the_example_needs_the_contract_alone():
    imported = {
        each.module if isinstance(each, ast.ImportFrom) else each.names[0].name
        for each in ast.walk(ast.parse(EXAMPLE))
        if isinstance(each, ast.Import | ast.ImportFrom)
    }
    assert imported <= {"struct", "sys", "grpc", "autosim.v1", "autosim.v1.autosim_pb2_grpc"}


def test_it_reads_every_field_as_the_state_does(example):
    tree = build_tree(world_with_all_shapes())
    state = State(tree)
    state.floats[:] = np.random.default_rng(1).normal(size=len(state.floats))
    gps, plan = tree.find("r0.box.gps"), tree.find("r0.plan")
    state.buffer[gps.start : gps.own_stop] = "$GPRMC,é".encode().ljust(gps.own_size, b"\0")
    state.write_rows(plan, plan.fields[0], np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    read, data = example["read"], bytes(state.buffer)
    nodes = list(example["walk"](tree_to_message(tree).root))
    assert [name for name, _ in nodes] == ["", *tree.names]
    for (_, message), node in zip(nodes, tree.walk(), strict=True):
        for its, field in zip(message.fields, node.fields, strict=True):
            value = state.value(node, field)
            found = read(its, data)
            if isinstance(value, np.ndarray):
                assert np.array_equal(np.ravel(found), value.ravel()), (node.name, field.name)
            else:
                assert found == value, (node.name, field.name)


def test_it_reads_a_server_and_sets_an_actuator():
    with ServerProcess(world_with_all_shapes(), light_options()) as server:
        own = Credentials(server.address).own_server()
        assert own is not None
        given = [server.address, own.token, "r0.box", "r0.box.drive"]
        typed = [sys.executable, "-c", EXAMPLE, *given]
        ran = subprocess.run(typed, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("step ")
    position = next(line for line in lines if line.startswith("r0.box position"))
    x, y = (float(each) for each in re.findall(r"-?\d+\.\d+", position)[:2])
    assert position.endswith(" m")
    assert np.hypot(x, y) == pytest.approx(10.0) or (x, y) == (0.0, 0.0)
    assert "r0.plan rows [] 1" in lines
    assert lines[-1] == "1 accepted"
