"""Failures at the server are shown in the client's window, and can be mended there."""

import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import simulation_control
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from tests.applications.gui.client.driving import TWO_CARS, connection, play
from tests.applications.gui.driving import LOAD_SECONDS, messages, until

FRAIL = """\
from pathlib import Path
from autosim.userprogram import wait

def main(argv):
    wait(0.05)
    if not (Path(__file__).parent / "mended").exists():
        raise ValueError("there is no road ahead")
    wait(1000.0)
"""

DRIVER = """\
from autosim.userprogram import set_data, wait

def main(argv):
    while True:
        set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, 0.0, 1.0])
        wait(0.05)
"""


@pytest.fixture
def world_file(tmp_path):
    folder = tmp_path / "frail"
    (folder / "userprograms").mkdir(parents=True)
    (folder / "userprograms" / "driver.py").write_text(DRIVER)
    (folder / "userprograms" / "frail.py").write_text(FRAIL)
    file = folder / "frail.xml"
    file.write_text(
        TWO_CARS.replace('file="look.py" side="client" arguments="closely"', 'file="frail.py"')
    )
    return file


@pytest.fixture
def server(world_file):
    with ServerProcess(load_world(world_file), ServerOptions(address="127.0.0.1:0")) as served:
        yield served


def errors_in(client):
    return [text for level, text in messages(client) if level == "error"]


@pytest.mark.slow
def test_a_failed_program_is_seen_and_restarted(client, world_file):
    play(client)
    until(lambda: client.drawing.frames > 0, LOAD_SECONDS)
    assert not client.banner.isVisible()
    connection(client).run(real_time_factor=1.0)
    until(client.banner.isVisible)
    assert "frail.py of second has failed" in client.banner.text.text()
    assert "there is no road ahead" in client.banner.text.toolTip()
    # Messages are asked for apart from what the banner shows.
    until(lambda: any("line 7" in text for text in errors_in(client)))
    assert any("there is no road ahead" in text for text in errors_in(client))

    (world_file.parent / "userprograms" / "mended").touch()
    QTest.mouseClick(client.banner.button, Qt.MouseButton.LeftButton)
    until(lambda: not client.banner.isVisible())
    before = len(messages(client))
    client.player.news.ask()
    until(lambda: not client.player.news._is_asking)
    assert len(messages(client)) == before, "a message is shown once"


@pytest.mark.slow
def test_a_program_dropped_on_a_robot_takes_it_from_that_of_the_server(client, tmp_path):
    play(client)
    until(lambda: client.drawing.frames > 0, LOAD_SECONDS)
    dropped = tmp_path / "dropped.py"
    dropped.write_text(DRIVER)
    with simulation_control(client.player.settings.address) as control:
        server = ServerManagement(control)

        def sides():
            return [each.side for each in server.programs() if "first" in each.drives]

        server.attach_program("first", "userprograms/driver.py", ())
        control.run(real_time_factor=1.0)
        until(lambda: sides() == ["server"])
        client.run_program("first", str(dropped))
        until(lambda: sides() == ["elsewhere"])
        client.player.stop()
        until(lambda: sides() == ["server"])


def test_without_a_connection_there_is_no_news(client):
    client.player.news.ask()
    assert not client.banner.isVisible()
