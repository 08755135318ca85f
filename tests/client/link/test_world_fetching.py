"""A client that has none of a server's files gets them, and nothing that it should not."""

import math
import shutil
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autosim.applications.common.open_worlds import fetch_with_progress
from autosim.client.link import world_fetching
from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import simulation_control
from autosim.client.link.world_fetching import fetch_world
from autosim.config.descriptions import WorldDescription
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import find_file
from autosim.config.maps.map_pictures import picture_roots
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world, world_for_osm
from autosim.loading.world_writer import with_step_size
from autosim.orders.robot_orders import AddRobot
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.server.server_errors import WorldError
from autosim.server.worlds.offer import Offer, make_offer
from autosim.server.worlds.world_changes import with_robot
from autosim.v1 import autosim_pb2 as pb
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.fetched_worlds import fetched_map
from tests.client.hostile_server import hostile_server
from tests.paths import ROOT
from tests.server.light_simulation import light_options, light_world


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a robot of its own, which is nowhere else."""
    folder = tmp_path_factory.mktemp("there")
    for name in ("worlds", "robots"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "robots" / "impreza.xml").rename(folder / "robots" / "rented.xml")
    world = folder / "worlds" / "circle_town.xml"
    world.write_text(world.read_text().replace("robots/impreza.xml", "robots/rented.xml"))
    return folder


@pytest.fixture(scope="module")
def address(project: Path) -> Iterator[str]:
    world = load_world(project / "worlds" / "circle_town.xml")
    with ServerProcess(world, ServerOptions(address="127.0.0.1:0")) as server:
        yield server.address


def test_a_client_without_files_gets_the_world(address: str, tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []
    cache = tmp_path / "worlds"
    file = fetch_world(address, cache=cache, progress=lambda *each: seen.append(each)).file
    assert file.is_relative_to(tmp_path)
    assert (file.parent / "robots" / "rented.xml").is_file()
    assert list((file.parent / "models").rglob("model.obj"))
    assert not list(file.parent.rglob("*.py"))
    assert seen[-1][1] == 1.0
    world = load_world(file)
    steps: list[str] = []
    compile_world(
        world.terrain,
        directory=cache,
        progress=lambda name, _: steps.append(name),
        sent=fetched_map(file, cache),
    )
    assert steps == ["read from the cache"]
    with Mirror(world, address) as mirror:
        mirror.connection.wait_for_state(60.0)


def test_what_is_here_is_not_fetched_again(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fetch_world(address, cache=tmp_path / "worlds")
    monkeypatch.setattr(world_fetching.WorldTransfer, "fetch_file", None)
    assert fetch_world(address, cache=tmp_path / "worlds") == first


def test_a_download_that_breaks_leaves_nothing(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = world_fetching.WorldTransfer.fetch_file

    def breaking(self: world_fetching.WorldTransfer, file: pb.OfferedFile, place: Path) -> None:
        real(self, file, place)
        if file.name.endswith(".osm"):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(world_fetching.WorldTransfer, "fetch_file", breaking)
    with pytest.raises(OSError, match="No space left"):
        fetch_world(address, cache=tmp_path / "worlds")
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


def test_a_content_that_is_not_what_was_said_is_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = world_fetching.WorldTransfer.fetch_file

    def lying(self: world_fetching.WorldTransfer, file: pb.OfferedFile, place: Path) -> None:
        other = pb.OfferedFile(name=file.name, size=file.size, digest="0" * 64)
        real(self, other, place)

    monkeypatch.setattr(world_fetching.WorldTransfer, "fetch_file", lying)
    with pytest.raises(ClientError, match=r"came from the server .* with another content"):
        fetch_world(address, cache=tmp_path / "worlds")


@pytest.mark.parametrize("name", ["../outside.xml", "/etc/outside", "a\\b", "~/x", ""])
def test_a_name_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    listed = pb.FileList(world="w.xml", files=[pb.OfferedFile(name=n) for n in ("w.xml", name)])
    with pytest.raises(ClientError, match="offers a bad file"):
        world_fetching.WorldTransfer(None, "there", lambda *_: None).checked(listed)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["circle_town.xml", "convoy.xml"])
def test_a_world_with_one_robot_more_is_offered_as_it_is(
    project: Path, tmp_path: Path, name: str
) -> None:
    world = load_world(project / "worlds" / name)
    changed = with_robot(world, AddRobot("robots/scout.xml", "another", (3.0, 4.0)))
    check_offer_of(changed, tmp_path)


def test_so_is_that_of_an_extract(project: Path, tmp_path: Path) -> None:
    world = world_for_osm(project / "worlds" / "circle_town" / "circle_town.osm")
    check_offer_of(with_robot(world, AddRobot("robots/scout.xml", "another")), tmp_path)


def test_so_is_one_with_another_step(project: Path, tmp_path: Path) -> None:
    world = load_world(project / "worlds" / "circle_town.xml")
    found = fetched_offer_of(with_step_size(world, 480), tmp_path)
    assert found.physics.step_seconds == 1.0 / 480.0


def test_files_that_were_edited_since_are_offered_as_the_server_read_them(
    project: Path, tmp_path: Path
) -> None:
    world = load_world(project / "worlds" / "circle_town.xml")
    setup = project / "worlds" / "circle_town" / "setup.xml"
    edited = [world.source, setup, project / "robots" / "rented.xml"]
    before = [file.read_bytes() for file in edited]
    for file in edited:
        later = file.read_text().replace('<Gravity value="9.81"/>', '<Gravity value="3.7"/>')
        file.write_text(later + "<!-- later -->")
    try:
        fetched_offer_of(world, tmp_path / "same")
        added = with_robot(world, AddRobot("robots/scout.xml", "another", (3.0, 4.0)))
        fetched_offer_of(added, tmp_path / "more")
        with pytest.raises(WorldError, match=r"rented.xml' has changed since it was read"):
            with_robot(world, AddRobot("robots/rented.xml", "one_more"))
    finally:
        for file, data in zip(edited, before, strict=True):
            file.write_bytes(data)


def test_a_map_that_was_edited_since_cannot_be_had(project: Path) -> None:
    world = load_world(project / "worlds" / "circle_town.xml")
    changed = replace(world, files=tuple((name, "0" * 64) for name, _ in world.files))
    with pytest.raises(WorldError, match="has changed since the server loaded it"):
        make_offer(changed, "")


def check_offer_of(world: WorldDescription, folder: Path) -> None:
    found = fetched_offer_of(world, folder)
    assert [each.name for each in found.robots][-1] == "another"


def fetched_offer_of(world: WorldDescription, folder: Path) -> WorldDescription:
    """What a client reads from the files that the server offers: the same world."""
    found = written(make_offer(world, ""), folder)
    assert found.files == world.files
    assert build_tree(found).digest == build_tree(world).digest
    return found


def written(offer: Offer, folder: Path) -> WorldDescription:
    """What a client reads that has written all that is offered into a folder."""
    for file in offer.files:
        place = folder / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"".join(file.parts()))
        assert (file_digest(place), place.stat().st_size) == (file.digest, file.size)
    return load_world(folder / offer.world)


_PICTURES = """<Setup name="painted">
  <TerrainSetup name="terrain">
    <RoadTextures name="roads">
      <Road file="beside.png"/><LeftCurb file="elsewhere.png"/>
    </RoadTextures>
    <TerrainTextures name="terrain"><SkyBox path="sky" type="png"/></TerrainTextures>
  </TerrainSetup>
</Setup>"""


def test_the_pictures_of_a_set_up_come_along_and_lie_where_a_client_looks(
    project: Path, tmp_path: Path
) -> None:
    own = shutil.copytree(project, tmp_path / "own")
    town, plain = own / "worlds" / "circle_town", load_world(own / "worlds" / "circle_town.xml")
    (town / "setup.xml").write_text(_PICTURES)
    (town / "sky").mkdir()
    pictures = [town / "beside.png", own / "elsewhere.png"]
    pictures += [town / "sky" / f"{side}.png" for side in range(1, 7)]
    for each in pictures:
        each.write_bytes(each.name.encode())
    offer = make_offer(load_world(own / "worlds" / "circle_town.xml"), "")
    client = tmp_path / "client"
    found = written(offer, client)
    setup = found.terrain.setup
    assert setup.source is not None
    roots = picture_roots(setup.source, (client,))
    assert {name for _, name in setup.road_textures} == {"beside.png", "elsewhere.png"}
    for name in ("beside.png", "elsewhere.png", *(f"sky/{side}.png" for side in range(1, 7))):
        assert find_file(name, roots).read_bytes() == Path(name).name.encode()
    assert found.files != plain.files
    assert {file.name for file in offer.files} > {name for name, _ in plain.files}


def test_only_what_is_listed_can_be_read(project: Path) -> None:
    offer = make_offer(load_world(project / "worlds" / "circle_town.xml"), "")
    assert offer.find("robots/rented.xml") is not None
    for name in ("userprograms/driver.py", "../circle_town.xml", "worlds/circle_town.xml", ""):
        assert offer.find(name) is None


def test_a_world_without_files_says_so(tmp_path: Path) -> None:
    with (
        ServerProcess(light_world(1), light_options()) as server,
        pytest.raises(ClientError, match="has no files to be fetched"),
    ):
        fetch_world(server.address, cache=tmp_path / "worlds")


def test_a_server_and_its_world_are_waited_for(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    said: list[str] = []
    heard = threading.Condition()

    def hear(name: str, share: float) -> None:
        with heard:
            said.append(name)
            heard.notify_all()

    def wait_for(part: str) -> None:
        with heard:
            assert heard.wait_for(lambda: any(part in each for each in said), 30.0)

    with ThreadPoolExecutor(1) as pool:
        cache = tmp_path / "worlds"
        coming = pool.submit(
            fetch_world, address, cache=cache, patience=math.inf, progress=hear, report=said.append
        )
        wait_for("no server listens")
        with ServerProcess(None, ServerOptions(address=address)) as server:
            wait_for("has no world yet")
            with simulation_control(server.address) as control:
                *_, last = ServerManagement(control).load("worlds/circle_town.xml", is_safe=True)
            assert last.is_done
            assert coming.result(60.0).file.is_relative_to(tmp_path)


def test_a_server_that_does_not_come_is_waited_for_no_longer_than_asked(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match=r"no server listens at .*: start autosim server"):
        fetch_world("127.0.0.1:1", cache=tmp_path / "worlds", patience=0.0)


def test_a_client_shows_what_a_server_does_while_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    work = "compiling kernels for this processor, once: 17 of 68, about 40 s left"
    seen: list[str] = []
    with hostile_server({"town.xml": b"<World/>"}, work=work) as address:
        fetch_world(address, progress=lambda text, share: seen.append(text))
    assert f"waiting until the server has loaded its world: {work}" in seen
    with hostile_server({"town.xml": b"<World/>"}, work=work) as address:
        fetch_with_progress(address)
    assert capsys.readouterr().err.count(work) == 1
