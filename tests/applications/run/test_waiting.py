"""Who waits for a step waits as long as the server is at work, and no longer."""

from dataclasses import dataclass

import pytest

from autosim.applications.run import waiting
from autosim.applications.run.waiting import SILENCE_SECONDS, TELL_SECONDS, ServerWatch
from autosim.client.link.client_errors import ConnectionLostError


@dataclass
class Server:
    """What a connection says of a server, and the time [s]."""

    trouble: str = ""
    time: float = 0.0

    def now(self) -> float:
        return self.time


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []
    monkeypatch.setattr(waiting, "tell", texts.append)
    return texts


def test_a_server_at_work_is_waited_for_however_long_and_people_are_told(said: list[str]) -> None:
    server = Server()
    watch = ServerWatch(server, 0, now=server.now)  # type: ignore[arg-type]
    while server.time < 10 * SILENCE_SECONDS:
        server.time += 1.0
        watch.look()
    assert set(said) == {"still waits for step 0: the server is at work"}
    assert 0.9 * server.time / TELL_SECONDS - 2 < len(said) <= server.time / TELL_SECONDS


def test_a_late_simulation_is_told_of_and_a_silent_one_given_up(said: list[str]) -> None:
    server = Server()
    watch = ServerWatch(server, 7, now=server.now)  # type: ignore[arg-type]
    for _ in range(3):
        server.trouble = "the simulation does not answer since 3 s"
        server.time += SILENCE_SECONDS - 1.0
        watch.look()
        server.trouble = ""
        watch.look()
    assert "still waits for step 7: the simulation does not answer since 3 s" in said
    server.trouble = "the server does not answer"
    server.time += SILENCE_SECONDS + 1.0
    with pytest.raises(ConnectionLostError, match="no state of step 7 has come: the server does"):
        watch.look()
