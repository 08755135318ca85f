"""`autosim ctl traffic` against a server."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.server.network.server_process import ServerProcess
from tests.applications.serving import Shell, light_server
from tests.server.light_simulation import light_options, light_world


@pytest.fixture
def shell() -> Iterator[Shell]:
    world = replace(light_world(), traffic=TrafficDescription(vehicles=5, people=2))
    with ServerProcess(world, light_options()) as server:
        shell = Shell(server.address)
        shell.ok("ctl", "step", "2")
        yield shell


def test_it_shows_what_is_counted(shell: Shell):
    record = shell.record("ctl", "traffic")
    assert record["vehicles_wanted"] == record["vehicles_most"] == 5
    assert record["collisions"] == record["deadlocks"] == 0
    assert "collisions with robots  0" in shell.ok("ctl", "traffic")


def test_it_changes_how_many_vehicles_there_shall_be(shell: Shell):
    assert shell.record("ctl", "traffic", "--vehicles", "3")["vehicles_wanted"] == 3
    shell.ok("ctl", "step", "2")
    record = shell.record("ctl", "traffic")
    assert (record["vehicles_wanted"], record["people_wanted"]) == (3, 2)


def test_it_changes_how_many_people_there_shall_be(shell: Shell):
    record = shell.record("ctl", "traffic", "--people", "1", "--vehicles", "4")
    assert (record["vehicles_wanted"], record["people_wanted"]) == (4, 1)
    shell.ok("ctl", "step", "2")
    record = shell.record("ctl", "traffic")
    assert (record["vehicles_wanted"], record["people_wanted"], record["people_most"]) == (4, 1, 2)


def test_more_than_there_is_room_for_are_refused(shell: Shell):
    assert "room for 5 vehicles" in shell.error("ctl", "traffic", "--vehicles", "6")
    assert "room for 2 people" in shell.error("ctl", "traffic", "--people", "3")


def test_a_world_without_traffic_says_so():
    with light_server() as server:
        shell = Shell(server.address)
        shell.ok("ctl", "step", "2")
        assert "<Traffic>" in shell.error("ctl", "traffic")
