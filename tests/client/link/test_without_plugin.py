"""A client that lacks a plug-in knows its devices from what the server tells of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim.applications.remote import server_orders
from autosim.client.link.failures import RefusedError
from autosim.client.link.fetching import FetchedWorld, fetch_world
from autosim.client.link.mirror import Mirror
from autosim.config.diagnostics import ConfigError
from autosim.kinds.director import build_tree
from autosim.kinds.foreign import ForeignDevice
from autosim.loading.loader import load_world
from autosim.loading.world_worker import Prepared, PrepareOrder, prepare
from autosim.server.network.background import ServerProcess
from autosim.server.network.front import ServerOptions
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from autosim.userprogram.session.described import describe
from tests.kinds.plugins import write_thruster
from tests.paths import ROOT

DEVICE = "boat.hull.bow_thruster"
PLUGIN = "plugins/bow_thruster.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a plug-in and a robot that needs it."""
    folder = tmp_path_factory.mktemp("there")
    shutil.copytree(ROOT / "worlds", folder / "worlds")
    write_thruster(folder)
    world = folder / "worlds" / "circle_town.xml"
    begin, end = world.read_text().split("<Robot", 1)[0], "</Objects></World>"
    boat = '<Robot name="boat"><File path="robots/bow_thruster.xml"/></Robot>'
    world.write_text(begin + boat + end)
    return folder


@pytest.fixture(scope="module")
def address(project: Path) -> Iterator[str]:
    world = load_world(project / "worlds" / "circle_town.xml")
    with ServerProcess(world, ServerOptions(address="127.0.0.1:0")) as server:
        yield server.address


@pytest.fixture(scope="module")
def fetched(address: str, tmp_path_factory: pytest.TempPathFactory) -> FetchedWorld:
    return fetch_world(address, cache=tmp_path_factory.mktemp("here") / "worlds")


def test_no_code_comes(fetched: FetchedWorld) -> None:
    folder = next(each for each in fetched.file.parents if (each / "robots").is_dir())
    assert (folder / "robots" / "bow_thruster.xml").is_file()
    assert not list(folder.rglob("*.py"))
    with pytest.raises(ConfigError, match=f"found no '{PLUGIN}'"):
        load_world(fetched.file)


def test_its_tree_has_the_devices_and_they_can_be_set(address: str, fetched: FetchedWorld) -> None:
    world = load_world(fetched.file, told=fetched.robots)
    device = world.robots[0].robot.devices[0]
    assert isinstance(device, ForeignDevice)
    assert device.max_thrust == 50.0
    tree = build_tree(world)
    node = tree.find(DEVICE)
    assert node is not None
    assert [(each.name, each.unit, str(each.limits)) for each in node.fields] == [
        ("thrust", "1", "[-1, 1]")
    ]
    with Mirror(world, address) as mirror:
        mirror.connection.wait_for_state(60.0)
        server_orders.set_values(address, DEVICE, (0.25,))
        server_orders.step(address, 1)
        mirror.connection.wait_for_state(60.0, step=1)
        mirror.take()
        assert mirror.state.value(node, node.fields[0]) == 0.25


def test_so_has_the_process_that_prepares_a_window(fetched: FetchedWorld) -> None:
    sent: list[object] = []

    class Control:
        send = staticmethod(sent.append)

    order = PrepareOrder(str(fetched.file), has_picture=False, told=fetched.robots)
    prepare(order, Control())  # type: ignore[arg-type]
    assert isinstance(sent[-1], Prepared)


def test_its_user_programs_are_told_the_same(fetched: FetchedWorld) -> None:
    tree = build_tree(load_world(fetched.file, told=fetched.robots))
    assert describe(tree_from_bytes(tree_to_bytes(tree)), DEVICE) == describe(tree, DEVICE)


def test_a_robot_that_the_server_does_not_tell_of_is_named(fetched: FetchedWorld) -> None:
    with pytest.raises(ConfigError, match=r"the server has no <Robot> 'boat'.*try again"):
        load_world(fetched.file, told={})


def test_another_version_is_refused_by_its_name(
    address: str, project: Path, tmp_path: Path
) -> None:
    shutil.copytree(project, tmp_path / "own")
    plugin = tmp_path / "own" / PLUGIN
    plugin.write_text(plugin.read_text() + "# of mine\n")
    world = load_world(tmp_path / "own" / "worlds" / "circle_town.xml")
    (theirs,) = load_world(project / "worlds" / "circle_town.xml").robots[0].robot.plugins
    (own,) = world.robots[0].robot.plugins
    words = (
        f"the plug-in '{PLUGIN}' is of version {theirs.version[:12]} on the server and of version "
        f"{own.version[:12]} on the client: have the same version on both"
    )
    with Mirror(world, address) as mirror, pytest.raises(RefusedError, match=words):
        mirror.connection.wait_for_state(60.0)
