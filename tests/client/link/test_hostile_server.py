"""What a hostile server sends is never run, and never gets among what is the user's own."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.applications.remote.program_choice import choose_robot, named_program
from autosim.client.link import world_fetching
from autosim.client.link.client_errors import ClientError
from autosim.client.link.world_fetching import fetch_world
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.config.files.lookup import PathError
from autosim.loading.loader import load_world
from autosim.world.compiled.compiled_file import save_compiled_world
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.file_faults import find_fault
from autosim.world.pipeline.cache import cache_directory, compile_world, compiled_path
from autosim.world.pipeline.fetched_worlds import FetchedWorlds, fetched_map, is_fetched
from tests.client.hostile_server import hostile_server
from tests.worlds import ROOT

TOWN = ROOT / "worlds" / "circle_town.xml"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def town_files(program: str) -> dict[str, bytes]:
    """All that a client needs of the demo town, whose car is driven by `program` on a client."""
    text = TOWN.read_text().replace(
        'file="userprograms/driver.py" side="server"', f'file="{program}" side="client"'
    )
    names = ("robots/impreza.xml", "worlds/circle_town/setup.xml")
    return {
        "town.xml": text.encode(),
        "worlds/circle_town/circle_town.osm": (
            TOWN.parent / "circle_town/circle_town.osm"
        ).read_bytes(),
        **{name: (ROOT / name).read_bytes() for name in names},
    }


@pytest.fixture(scope="module")
def compiled() -> CompiledWorld:
    return compile_world(load_world(TOWN).terrain)


def as_bytes(world: CompiledWorld, folder: Path) -> bytes:
    folder.mkdir(exist_ok=True)
    save_compiled_world(world, folder / "sent")
    return (folder / "sent").read_bytes()


@pytest.mark.parametrize("program", ["userprograms/evil.py", "evil.py", "userprograms/evil.xml"])
def test_a_program_of_a_server_is_not_run_by_a_client_that_takes_the_robot(program: str):
    files = town_files(program) | {program: b"open('/tmp/owned', 'w')"}
    with hostile_server(files) as address:
        file = fetch_world(address).file
    assert not list(file.parent.rglob("*.py"))
    world = load_world(file)
    with pytest.raises(PathError, match="there is no user program"):
        named_program(world, choose_robot(world, None))


def test_a_fetched_world_gets_the_users_own_program():
    with hostile_server(town_files("userprograms/driver.py")) as address:
        world = load_world(fetch_world(address).file)
    order = named_program(world, choose_robot(world, None))
    assert order is not None
    assert order.program == ROOT / "userprograms" / "driver.py"


def test_a_file_that_a_server_has_sent_is_not_run_even_when_it_is_named():
    with hostile_server(town_files("userprograms/driver.py")) as address:
        file = fetch_world(address).file
    planted = file.parent / "evil.py"
    planted.write_text("")
    assert is_fetched(planted)
    programs = object.__new__(ClientPrograms)
    with pytest.raises(ClientError, match="came from a server: such files are never run"):
        programs._start(ProgramOrder(planted, "impreza"), ())


def test_a_served_map_is_not_used_by_the_users_own_runs(compiled: CompiledWorld, home: Path):
    own = load_world(TOWN)
    digest = compiled_path(own.terrain).name
    lie = replace(compiled, name="a trap", digest=digest.removesuffix(".world"))
    files = town_files("userprograms/driver.py")
    with hostile_server(files, (digest, as_bytes(lie, home / "made"))) as address:
        file = fetch_world(address).file
    assert not list(cache_directory().glob("*"))
    served = load_world(file).terrain
    assert compile_world(served, sent=fetched_map(served.osm)).name == "a trap"
    assert fetched_map(own.terrain.osm) is None
    assert compile_world(own.terrain).name != "a trap"


def test_the_users_own_map_goes_before_a_served_one(compiled: CompiledWorld, home: Path):
    digest = compiled_path(load_world(TOWN).terrain).name
    compile_world(load_world(TOWN).terrain)
    lie = replace(compiled, name="a trap", digest=digest.removesuffix(".world"))
    files = town_files("userprograms/driver.py")
    with hostile_server(files, (digest, as_bytes(lie, home / "made"))) as address:
        served = load_world(fetch_world(address).file).terrain
    assert compile_world(served, sent=fetched_map(served.osm)).name != "a trap"


def test_two_maps_of_one_name_are_two_maps(compiled: CompiledWorld, home: Path):
    files = town_files("userprograms/driver.py")
    for name in ("first", "second"):
        content = as_bytes(replace(compiled, name=name), home / "made")
        with hostile_server(files, ("11.world", content)) as address:
            file = fetch_world(address).file
        sent = fetched_map(file)
        assert sent is not None
        assert content == sent.read_bytes()


@pytest.mark.parametrize("where", ["corner", "nowhere", "lane", "starts"])
def test_a_map_whose_numbers_lead_astray_is_refused(
    compiled: CompiledWorld, home: Path, where: str
):
    ground, roads = compiled.ground, compiled.roads
    if where == "corner":
        triangles = ground.triangles.copy()
        triangles[7, 1] = 2**31 - 1
        bad = replace(compiled, ground=replace(ground, triangles=triangles))
    elif where == "nowhere":
        vertices = ground.vertices.copy()
        vertices[3] = np.nan
        bad = replace(compiled, ground=replace(ground, vertices=vertices))
    elif where == "lane":
        bad = replace(compiled, roads=replace(roads, successors=roads.successors - 1))
    else:
        bad = replace(compiled, ground=replace(ground, starts=ground.starts[::-1].copy()))
    assert not find_fault(compiled)
    files = town_files("userprograms/driver.py")
    with (
        hostile_server(files, ("11.world", as_bytes(bad, home / "made"))) as address,
        pytest.raises(ClientError, match="sent a map with a fault"),
    ):
        fetch_world(address)
    assert not list(FetchedWorlds().maps.iterdir())


def test_what_a_server_may_send_is_limited_by_file_and_in_sum(monkeypatch: pytest.MonkeyPatch):
    files = town_files("userprograms/driver.py")
    for sizes in ({"town.xml": 3 << 30}, dict.fromkeys(files, 3 << 29)):
        with (
            hostile_server(files, sizes=sizes) as address,
            pytest.raises(ClientError, match="GB: at most 4 GiB are fetched"),
        ):
            fetch_world(address)
    with (
        hostile_server(files, sizes={"town.xml": -1}) as address,
        pytest.raises(ClientError, match="offers no sound list of files"),
    ):
        fetch_world(address)
    monkeypatch.setattr(world_fetching, "MOST_FILES", 2)
    with (
        hostile_server(files) as address,
        pytest.raises(ClientError, match="offers no sound list of files"),
    ):
        fetch_world(address)


def test_the_worlds_used_longest_ago_make_room(compiled: CompiledWorld, home: Path):
    files = town_files("userprograms/driver.py")
    content = as_bytes(compiled, home / "made")
    for number in range(3):
        named = files | {"town.xml": files["town.xml"] + b"<!-- %d -->" % number}
        with hostile_server(named, ("11.world", content + b"")) as address:
            file = fetch_world(address).file
    place = FetchedWorlds()
    assert len([each for each in place.worlds.iterdir() if each.is_dir()]) == 3
    assert len(list(place.maps.iterdir())) == 1
    place.trim(0, kept=file.parent)
    assert [each for each in place.worlds.iterdir() if each.is_dir()] == [file.parent]
    assert fetched_map(file) is not None


def test_nobody_else_may_look_into_what_was_fetched(home: Path):
    with hostile_server(town_files("userprograms/driver.py")) as address:
        fetch_world(address)
    assert FetchedWorlds().folder.stat().st_mode & 0o077 == 0
