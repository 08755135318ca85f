"""A client that lacks a plug-in knows its devices from what the server tells of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim.applications.remote import server_orders, value_orders
from autosim.client.link.client_errors import ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.world_fetching import FetchedWorld, fetch_world
from autosim.config.diagnostics import ConfigError
from autosim.kinds.bodies.mesh import MeshPart
from autosim.kinds.director import build_tree
from autosim.kinds.foreign import ForeignDevice
from autosim.loading.loader import load_world
from autosim.loading.world_worker import PreparationDone, PrepareOrder, prepare
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from autosim.userprogram.session.node_records import describe
from tests.client.coloured_parts import Above
from tests.kinds.plugins import write_thruster
from tests.paths import ROOT
from tests.worlds import flat_world

DEVICE = "boat.hull.bow_thruster"
PLUGIN = "plugins/bow_thruster.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a plug-in and a robot that needs it."""
    folder = tmp_path_factory.mktemp("there")
    shutil.copytree(ROOT / "worlds", folder / "worlds")
    write_thruster(folder)
    give_model(folder)
    give_mesh(folder)
    world = folder / "worlds" / "circle_town.xml"
    begin, end = world.read_text().split("<Robot", 1)[0], "</Objects></World>"
    boat = '<Robot name="boat"><File path="robots/bow_thruster.xml"/></Robot>'
    world.write_text(begin + boat + end)
    return folder


def give_model(project: Path) -> None:
    """The thruster gets a model, which is nowhere else."""
    plugin, robot = project / PLUGIN, project / "robots" / "bow_thruster.xml"
    text = plugin.read_text()
    for line, more in (
        ("    max_thrust: float = 100.0", "    model: ModelReference | None = None"),
        ("        *NOISES,", '        model("Model", "How it looks."),'),
    ):
        assert line in text
        text = text.replace(line, f"{line}\n{more}")
    imports = "from autosim.config.descriptions import ModelReference\n"
    imports += "from autosim.config.schemas.common import model\n"
    first = "from autosim.config.descriptions import"
    plugin.write_text(text.replace(first, imports + first, 1))
    lines = robot.read_text()
    assert "<MaxThrust" in lines
    robot.write_text(lines.replace("<MaxThrust", '<Model path="models/blade"/><MaxThrust', 1))
    folder = project / "models" / "blade" / "LOD0"
    folder.mkdir(parents=True)
    (folder / "model.obj").write_text(cube_text(3.0))


def give_mesh(project: Path) -> None:
    """The robot gets a part of the shape of a file, which is nowhere else either."""
    (project / "robots" / "keel.obj").write_text(cube_text(1.0))
    robot = project / "robots" / "bow_thruster.xml"
    part = '<Mesh name="keel"><File path="robots/keel.obj"/><Mass value="5"/></Mesh></Parts>'
    robot.write_text(robot.read_text().replace("</Parts>", part, 1))


def cube_text(edge: float) -> str:
    """A cube as a Wavefront OBJ file."""
    half = edge / 2.0
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    return "\n".join(lines) + "\n"


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
        value_orders.set_values(address, DEVICE, (0.25,))
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
    assert isinstance(sent[-1], PreparationDone)


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
    with Mirror(world, address) as mirror, pytest.raises(ServerRefusedError, match=words):
        mirror.connection.wait_for_state(60.0)


def test_its_models_and_meshes_come_and_are_drawn(fetched: FetchedWorld) -> None:
    pytest.importorskip("panda3d")
    from autosim.client.scene.viewer import Viewer

    world = load_world(fetched.file, told=fetched.robots)
    (placed,) = world.robots
    (keel,) = (part for part in placed.robot.parts if isinstance(part, MeshPart))
    assert keel.file.content == cube_text(1.0).encode()
    assert isinstance(placed.robot.devices[0], ForeignDevice)
    tree = build_tree(world)
    state = State(tree)
    for part in placed.robot.parts:
        node = tree.find(f"boat.{part.name}")
        assert node is not None
        state.floats[(node.start + node.field_offset("orientation")) // WORD + 3] = 1.0
    viewer = Viewer(world, flat_world(), tree, width=64, height=48, onscreen=False)
    try:
        viewer.add_camera("free:1", Above())
        moment = viewer.new_moment()
        moment.update(state)
        depths = viewer.measure("free:1", at=moment).depths
        assert not viewer.warnings
        # From 6 m above: the device's cube reaches higher than all parts.
        assert depths[24, 32] == pytest.approx(6.0 - 1.5, abs=0.01)
    finally:
        viewer.close()
