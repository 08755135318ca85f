"""`autosim client --headless --record`: which pictures are asked for."""

import pytest

pytest.importorskip("panda3d")

from click.testing import CliRunner

from autosim.applications.recording import film_recorder
from autosim.applications.recording.picture_output import RenderResult
from autosim.cli import main
from autosim.client.link.mirror import Mirror
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess

WORLD = "worlds/circle_town.xml"
LOAD_SECONDS = 180.0
PICTURES = 5
"""So many are drawn, then the client ends."""


@pytest.fixture(scope="module")
def running():
    """A server that steps all the while."""
    world = load_world(WORLD)
    with (
        ServerProcess(world, ServerOptions(address="127.0.0.1:0", is_safe=True)) as server,
        Mirror(world, server.address, rate_hz=1.0) as mirror,
    ):
        mirror.connection.wait_for_state(LOAD_SECONDS)
        mirror.connection.run(real_time_factor=1.0)
        yield server


def test_pictures_are_asked_for_only_when_one_is_due(running, tmp_path, monkeypatch):
    asked = []
    image = RenderResult.image

    def note(pictures, camera):
        asked.append(camera)
        return image(pictures, camera)

    monkeypatch.setattr(RenderResult, "image", note)
    monkeypatch.setattr(
        RenderResult, "is_closed", property(lambda pictures: pictures.frames == PICTURES)
    )
    # The second picture is due when all is over long since.
    monkeypatch.setattr(film_recorder, "FRAMES_PER_SECOND", 1e-4)
    film = tmp_path / "film"
    options = ["--headless", "--server", running.address, "--record", str(film)]
    done = CliRunner().invoke(main, ["client", WORLD, *options])
    assert done.exit_code == 0, done.output
    assert f"drew {PICTURES} frames" in done.stderr
    assert len(asked) == 1
    assert [file.name for file in film.iterdir()] == ["000000.png"]
    assert "recorded 1 frames" in done.stderr
