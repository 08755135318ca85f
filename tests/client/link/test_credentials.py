"""Clients find the token of their user's own servers by themselves, and of no others."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from autosim.access import server_addresses
from autosim.access.own_servers import OwnServer, announce, servers_folder, tokens_file, withdraw
from autosim.access.variables import TOKEN, TOKENS
from autosim.client.link.client_errors import ClientError, ServerRefusedError
from autosim.client.link.credentials import Credentials
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_tokens import ServerTokens
from autosim.client.link.simulation_control import simulation_control
from autosim.client.link.updates import LinkState
from autosim.server.network.server_process import ServerProcess
from tests.server.light_simulation import light_options, light_world
from tests.worlds import ROOT

WORLD = light_world(1)


@dataclass(frozen=True)
class Home:
    """A server, its owner's folder, and a token to look on."""

    address: str
    folder: Path
    viewer: str


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name in TOKENS:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A server that all tests share who do not end it, and where its owner's files are."""
    home = tmp_path_factory.mktemp("owner")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(home))
        with served("127.0.0.1:0") as port:
            address = f"127.0.0.1:{port}"
            with simulation_control(address) as control:
                _, secret = ServerTokens(control).make("view")
            yield Home(address, home, secret)


@contextmanager
def served(address: str, **options: object) -> Iterator[int]:
    """The port of a light server at `address`."""
    with ServerProcess(WORLD, light_options(address=address, **options)) as server:
        yield int(server.address.rpartition(":")[2])


def has_ipv6() -> bool:
    try:
        with closing(socket.socket(socket.AF_INET6)) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 here")


def answers(address: str) -> bool:
    with simulation_control(address) as control:
        return bool(control.status())


@pytest.mark.parametrize(
    ("listening", "hosts"),
    [
        ("127.0.0.1", ("127.0.0.1", "localhost")),
        ("localhost", ("127.0.0.1", "localhost")),
        ("127.0.0.2", ("127.0.0.2",)),
        ("0.0.0.0", ("127.0.0.1", "localhost", "127.0.0.3")),
        pytest.param("[::1]", ("[::1]", "localhost"), marks=needs_ipv6),
        pytest.param("[::]", ("127.0.0.1", "[::1]", "localhost"), marks=needs_ipv6),
    ],
)
def test_a_server_is_found_whatever_its_address_is_called(
    listening: str, hosts: tuple[str, ...]
) -> None:
    announce(OwnServer(f"{listening}:2008", "secret"))
    assert {Credentials(f"{host}:2008").token() for host in hosts} == {"secret"}
    withdraw(OwnServer(f"{listening}:2008", "secret"))
    assert not list(servers_folder().iterdir())


def test_two_servers_have_two_tokens() -> None:
    announce(OwnServer("127.0.0.1:2008", "one"))
    announce(OwnServer("127.0.0.1:2009", "other"))
    announce(OwnServer("127.0.0.2:2008", "third"))
    assert tokens(2008, 2009) == ["one", "other"]


def tokens(*ports: int) -> list[str]:
    return [Credentials(f"127.0.0.1:{port}").token() for port in ports]


def test_a_connection_finds_the_token_of_a_server_that_was_started_anew() -> None:
    with served("127.0.0.1:0") as port:
        before = tokens(port)
        mirror = Mirror(WORLD, f"127.0.0.1:{port}")
        mirror.connection.wait_for_state(30.0)
    with mirror:
        connection = mirror.connection
        assert connection.wait_until(lambda: connection.link is LinkState.LOST, 30.0)
        with served(f"127.0.0.1:{port}"):
            assert tokens(port) != before
            assert connection.wait_until(lambda: connection.link is LinkState.CONNECTED, 30.0)


def test_what_a_killed_server_has_left_opens_no_later_one(shared: Home) -> None:
    announce(OwnServer(shared.address, "left"))
    with pytest.raises(ServerRefusedError, match="this server does not know the token"):
        answers(shared.address)
    withdraw(OwnServer(shared.address, "that of the later one"))
    assert Credentials(shared.address).token() == "left"


def test_what_a_killed_server_has_left_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "that of another server, through a tunnel")
    announces = (
        "from autosim.access.own_servers import OwnServer, announce\n"
        "announce(OwnServer('127.0.0.1:2008', 'left'))"
    )
    subprocess.run([sys.executable, "-c", announces], check=True)
    assert list(servers_folder().iterdir())
    assert tokens(2008) == ["that of another server, through a tunnel"]


def test_nothing_is_shown_to_a_server_elsewhere() -> None:
    announce(OwnServer("0.0.0.0:2008", "secret"))
    assert Credentials("127.0.0.1:2008").token() == "secret"
    for elsewhere in ("192.0.2.1:2008", "[2001:db8::1]:2008", "no.such.host.invalid:2008"):
        assert Credentials(elsewhere).token() == ""
    assert Credentials("127.0.0.1:2009").token() == ""


def test_a_file_that_others_can_read_proves_nothing() -> None:
    announce(OwnServer("127.0.0.1:2008", "secret"))
    (file,) = servers_folder().iterdir()
    file.chmod(0o644)
    with pytest.raises(ClientError, match="others than you can read it"):
        Credentials("127.0.0.1:2008").token()


def test_a_token_that_is_named_goes_before_the_users_own_and_that_before_the_environment(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOSIM_TOKEN", "of the environment")
    address = "127.0.0.1:2008"
    assert Credentials(address).token() == "of the environment"
    announce(OwnServer(address, "own"))
    assert Credentials(address).token() == "own"
    file = state / "given.token"
    file.write_text("named\n")
    file.chmod(0o600)
    monkeypatch.setenv("AUTOSIM_TOKEN_OPTION", str(file))
    assert Credentials(address).token() == "named"
    file.chmod(0o640)
    with pytest.raises(ClientError, match=r"given\.token: error: others"):
        Credentials(address)
    file.unlink()
    with pytest.raises(ClientError, match="no such file"):
        Credentials(address)


def test_who_has_no_token_is_told_what_to_do(shared: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServerRefusedError, match=r"as the user who started the server.*token make"):
        answers(shared.address)
    with (
        Mirror(WORLD, shared.address) as mirror,
        pytest.raises(ServerRefusedError, match="no token came with the call"),
    ):
        mirror.connection.wait_for_state(30.0)
    monkeypatch.setenv("SUDO_USER", "somebody")
    with pytest.raises(ServerRefusedError, match="not by sudo"):
        answers(shared.address)


def test_a_stranger_with_a_token_may_do_what_it_is_good_for(
    shared: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOSIM_TOKEN", shared.viewer)
    with simulation_control(shared.address) as control:
        assert control.status()
        with pytest.raises(ServerRefusedError, match="this takes one to control"):
            control.pause()
        with pytest.raises(ServerRefusedError, match="this takes one to control"):
            ServerTokens(control).make("control")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_of_the_machine_gets_nothing(shared: Home) -> None:
    script = (
        "import os, sys\n"
        "from autosim.client.link.simulation_control import simulation_control\n"
        "from autosim.errors import UserError\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "try:\n"
        "    with simulation_control(sys.argv[1]) as control: print(control.status())\n"
        "except UserError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, shared.address],
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(shared.folder)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no token came with the call" in done.stdout, done.stderr


def test_the_tokens_of_a_place_outlive_a_new_start_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    announce(OwnServer("127.0.0.1:2008", "secret"))
    before = tokens_file("127.0.0.1:2008")
    monkeypatch.setattr(server_addresses, "_BOOT", "another")
    assert Credentials("127.0.0.1:2008").token() == ""
    assert tokens_file("127.0.0.1:2008") == before
    assert tokens_file("127.0.0.1:2009") != before
