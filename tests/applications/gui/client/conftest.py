"""Client windows at real servers."""

import pytest

from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from tests.applications.gui.client.driving import begin_anew, make_client, play, write_world
from tests.applications.gui.driving import LOAD_SECONDS, until


@pytest.fixture(scope="session")
def world_file(tmp_path_factory):
    """The demo world with two cars and small pictures, which are drawn fast."""
    return write_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def server(world_file):
    """A server before its first step."""
    with ServerProcess(load_world(world_file), ServerOptions(address="127.0.0.1:0")) as served:
        yield served


@pytest.fixture
def client(application, server, world_file, tmp_path, complaints):
    """A window with nothing loaded."""
    made = make_client(tmp_path, world_file, server.address)
    yield made
    made.close()
    made.deleteLater()
    application.processEvents()


@pytest.fixture(scope="module")
def _shared(application, server, world_file, tmp_path_factory):
    made = make_client(tmp_path_factory.mktemp("client"), world_file, server.address)
    play(made)
    until(lambda: made.drawing.frames > 0, LOAD_SECONDS)
    yield made
    made.close()
    made.deleteLater()
    application.processEvents()


@pytest.fixture
def playing(_shared, complaints):
    """A window that shows a simulation which stands still: the chase camera, nothing else."""
    begin_anew(_shared)
    return _shared
