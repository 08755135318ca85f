"""What a bridge tells while its server is not usable."""

import threading
from contextlib import ExitStack

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.applications.ros2.bridged_world import follow_worlds
from autosim.client.link.client_errors import ServerRefusedError


def test_a_server_without_a_world_is_waited_for_and_told_of_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    over, closed = threading.Event(), []

    def follow(stack: ExitStack) -> None:
        stack.callback(closed.append, True)
        if len(closed) == 2:
            over.set()
        raise ServerRefusedError("it has no world yet")

    follow_worlds(follow, over)
    assert len(closed) == 3
    assert capsys.readouterr().err == "it has no world yet; waiting\n"
