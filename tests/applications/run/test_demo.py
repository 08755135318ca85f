"""The demo as a user runs it: processes, network, pictures, figures."""

import json
from dataclasses import fields

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from autosim.applications.common.open_worlds import open_named_world
from autosim.applications.run.demo import (
    DEMO_PEOPLE,
    DEMO_VEHICLES,
    Summary,
    is_off_road,
)
from autosim.applications.run.waiting import wait_for_step
from autosim.cli import main
from autosim.client.link.connection import Connection
from autosim.client.link.mirror import Mirror
from autosim.server.network.server_process import ServerProcess
from autosim.server.server_errors import ServerError
from autosim.wire import DEFAULT_PORT
from autosim.world.pipeline.cache import compile_world
from tests.applications.driver_runs import DEMO_TOWN, drive
from tests.server.light_simulation import (
    FailingSimulation,
    UnloadableSimulation,
    light_options,
    light_world,
)

SECONDS = 8.0
FIGURES = {
    "steps",
    "step_seconds",
    "real_time_factor",
    "step_ms",
    "updates_received",
    "update_bytes",
    "distance_m",
    "off_road_seconds",
    "collisions",
    "renderer",
    "state_digest",
    "frames",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo")
    arguments = ["demo", "--headless", "--seconds", str(SECONDS), "--out", str(out)]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return result, out


def test_it_ends_well_and_says_so_in_six_lines(demo):
    result, _ = demo
    assert result.exit_code == 0
    assert len(result.stdout.strip().splitlines()) == 6


def test_it_writes_its_figures(demo):
    _, out = demo
    summary = json.loads((out / "summary.json").read_text())
    assert summary.keys() >= FIGURES
    assert summary["steps"] == SECONDS * 240
    assert summary["updates_received"] > 0
    assert summary["update_bytes"] > summary["updates_received"] * 100
    assert summary["distance_m"] > 20.0
    assert summary["collisions"] == 0
    assert summary["off_road_seconds"] == 0.0


def test_three_processes_and_a_client_give_the_bytes_of_one_process(demo):
    _, out = demo
    summary = json.loads((out / "summary.json").read_text())
    alone = drive(DEMO_TOWN, SECONDS, vehicles=DEMO_VEHICLES, people=DEMO_PEOPLE)
    assert summary["state_digest"] == alone.figures.state_digest


def test_it_meets_traffic_that_collides_with_nobody(demo):
    _, out = demo
    traffic = json.loads((out / "summary.json").read_text())["traffic"]
    assert traffic["vehicles"] == DEMO_VEHICLES
    assert traffic["people"] > 0
    assert traffic["collisions"] == traffic["collisions_with_robots"] == 0


def test_there_is_as_much_traffic_as_one_asks_for(tmp_path):
    base = ["demo", "--headless", "--seconds", "0.1", "--out", str(tmp_path)]
    found = []
    for options in (["--traffic", "0", "--people", "0"], ["--traffic", "3", "--people", "0"]):
        result = CliRunner().invoke(main, [*base, *options], catch_exceptions=False)
        assert result.exit_code == 0
        found.append(json.loads((tmp_path / "summary.json").read_text())["traffic"])
    assert found[0] is None
    assert found[1]["vehicles"] == 3


def test_it_draws_a_town(demo):
    _, out = demo
    assert json.loads((out / "summary.json").read_text())["frames"] > 0
    for name in ("chase.png", "front.png", "path.png"):
        picture = Image.open(out / name).convert("RGB")
        assert len(picture.getcolors(maxcolors=1 << 24) or ()) > 20, name


def test_a_map_that_is_not_there_is_a_message(tmp_path):
    result = CliRunner().invoke(main, ["demo", "--headless", "--osm", str(tmp_path / "no.osm")])
    assert result.exit_code == 1
    assert "no.osm" in result.stderr
    assert "Traceback" not in result.output


def test_a_folder_that_cannot_be_made_is_a_message(tmp_path):
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "out"
    result = CliRunner().invoke(main, ["demo", "--headless", "--out", str(out)])
    assert result.exit_code == 1
    assert f"{out}: error: Not a directory" in result.stderr


@pytest.mark.parametrize(
    ("simulation", "reason"),
    [(UnloadableSimulation, "the map is empty"), (FailingSimulation, "the wheels came off")],
)
def test_a_simulation_that_ends_is_heard_of_while_its_states_are_awaited(simulation, reason):
    world, options = light_world(), light_options(simulation, real_time_factor=0.0)
    with (
        ServerProcess(world, options) as server,
        Mirror(world, server.address) as mirror,
        pytest.raises(ServerError, match=reason),
    ):
        wait_for_step(mirror, server, 3)


def test_a_robot_without_wheels_is_never_off_the_road():
    robot = light_world().robots[0].robot
    town = compile_world(open_named_world(DEMO_TOWN).terrain)
    assert not is_off_road(town, np.zeros((3, 4)), robot).any()


def test_every_command_shows_an_example():
    for command in ([], ["demo"], ["server"], ["client"], ["world", "build"], ["check"]):
        result = CliRunner().invoke(main, [*command, "--help"])
        assert result.exit_code == 0
        assert not command or "Example:" in result.output
    assert str(DEFAULT_PORT) in CliRunner().invoke(main, ["server", "--help"]).output


@pytest.mark.parametrize("address", ["foo", "foo:", ":2008", "foo:70000", "foo:port"])
def test_an_address_that_is_none_is_refused_at_once(address):
    for command in (["client"], ["ctl", "status"]):
        result = CliRunner().invoke(main, [*command, "--server", address])
        assert result.exit_code == 2
        assert "HOST:PORT" in result.output


def test_without_a_screen_nobody_waits_for_the_clock(tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    paces = []
    run = Connection.run

    def listen(connection, *, steps, real_time_factor):
        paces.append(real_time_factor)
        return run(connection, steps=steps, real_time_factor=real_time_factor)

    monkeypatch.setattr(Connection, "run", listen)
    arguments = ["demo", "--seconds", "1", "--out", str(tmp_path)]
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
    assert paces == [0.0]


def test_a_collision_is_told_with_what_was_met():
    figures = dict.fromkeys(each.name for each in fields(Summary))
    figures |= {"steps": 240, "step_seconds": 1 / 240, "real_time_factor": 1.0}
    figures |= {"step_ms": {"p50": 0.2, "p99": 0.3}, "distance_m": 9.0, "off_road_seconds": 0.0}
    figures |= {"collisions": 1, "updates_received": 1, "update_bytes": 1, "frames": 1}
    summary = Summary(**figures | {"met": ("step 9: has collided: chassis with a tree",)})
    assert "collided  step 9: has collided: chassis with a tree" in summary.as_text()
