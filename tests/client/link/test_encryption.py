"""Servers that other machines reach encrypt, and are known again by their certificates."""

import re
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import grpc
import pytest

from autosim.access.certificates import own_identity, read_identity
from autosim.access.fingerprint import fingerprint_of_pem
from autosim.access.known_servers import find_known
from autosim.access.private_files import AccessError
from autosim.client.link import channels, updates
from autosim.client.link.client_errors import ClientError, ConnectionLostError, ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_tokens import ServerTokens
from autosim.client.link.simulation_control import simulation_control
from autosim.model.notices import Notice
from autosim.server.network.front import Event
from autosim.server.network.server_process import ServerProcess
from tests.server.light_simulation import light_options, light_world

WORLD = light_world(1)
SHOWN = re.compile(r"SHA256:\S{43}")


class Server:
    """A server that other machines could reach, whose user has given a stranger a token."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch, **options: object) -> None:
        self.said: list[str] = []
        self.home = home / "autosim"
        patch.setenv("XDG_STATE_HOME", str(home))
        options = {"address": "0.0.0.0:0"} | options
        self.process = ServerProcess(WORLD, light_options(**options), on_event=self._hear)
        self.address = f"127.0.0.1:{self.process.address.rpartition(':')[2]}"
        with simulation_control(self.address) as control:
            self.token = ServerTokens(control).make("control", name="")[1]
        self.process.poll()

    def _hear(self, event: Event) -> None:
        if isinstance(event, Notice):
            self.said.append(event.text)


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Somebody on another machine: to them no address is this machine's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "stranger"))
    monkeypatch.setattr(channels, "is_loopback", lambda host: False)
    return monkeypatch


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        made = Server(tmp_path_factory.mktemp("owner"), patch)
    with made.process:
        yield made


def fingerprint(server: Server) -> str:
    (found,) = [each for text in server.said for each in SHOWN.findall(text)]
    return found


def status(address: str) -> object:
    with simulation_control(address) as control:
        return control.status()


def test_a_server_that_others_reach_encrypts_and_says_its_fingerprint(server: Server) -> None:
    host, port = server.address.split(":")
    certificate = ssl.get_server_certificate((host, int(port)))
    assert fingerprint_of_pem(certificate.encode()) == fingerprint(server)
    assert (server.home / "key.pem").stat().st_mode & 0o077 == 0


def test_a_server_of_the_users_own_is_found_with_its_certificate(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(server.home.parent))
    assert status(server.address)
    assert not (server.home / "known_servers").exists()


def test_an_unknown_server_is_refused_until_its_fingerprint_is_given_once(
    server: Server, stranger: pytest.MonkeyPatch
) -> None:
    stranger.setenv("AUTOSIM_TOKEN", server.token)
    with pytest.raises(ServerRefusedError, match="is not trusted yet") as refused:
        status(server.address)
    assert fingerprint(server) in str(refused.value)
    stranger.setenv("AUTOSIM_FINGERPRINT", fingerprint(server))
    assert status(server.address)
    stranger.delenv("AUTOSIM_FINGERPRINT")
    assert status(server.address)
    with Mirror(WORLD, server.address) as mirror:
        assert mirror.connection.wait_for_state(30.0)


def test_an_encrypted_server_of_another_user_of_this_machine_is_asked_for_its_certificate(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loopback address need not be a server without encryption."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "neighbour"))
    monkeypatch.setenv("AUTOSIM_TOKEN", server.token)
    with pytest.raises(ServerRefusedError, match="is not trusted yet"):
        status(server.address)


@pytest.mark.parametrize("address", ["foo:bar", "localhost", ":2008", "localhost:99999", "h:²"])
def test_what_is_not_an_address_is_refused_with_the_form_of_one(address: str) -> None:
    with pytest.raises(ClientError, match="expected HOST:PORT"):
        channels.open_channel(address, ())


@pytest.mark.parametrize("is_pinned", [False, True])
def test_a_server_shows_its_certificate_once_for_a_channel(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_pinned: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("AUTOSIM_TOKEN", server.token)
    if is_pinned:
        monkeypatch.setenv("AUTOSIM_FINGERPRINT", fingerprint(server))
    look, looks = channels._look, []
    monkeypatch.setattr(channels, "_look", lambda address: looks.append(address) or look(address))
    with nullcontext() if is_pinned else pytest.raises(ServerRefusedError):
        channels.open_channel(server.address, ()).close()
    assert looks == [server.address]


def test_encryption_does_not_make_a_token_needless(
    server: Server, stranger: pytest.MonkeyPatch
) -> None:
    stranger.setenv("AUTOSIM_FINGERPRINT", fingerprint(server))
    with pytest.raises(ServerRefusedError, match="no token came with the call"):
        status(server.address)


@pytest.mark.parametrize("pin", ["SHA256:" + "A" * 43, "SHA256:short", "md5:x"])
def test_another_fingerprint_than_was_given_is_refused(
    server: Server, stranger: pytest.MonkeyPatch, pin: str
) -> None:
    stranger.setenv("AUTOSIM_FINGERPRINT", pin)
    with pytest.raises(ClientError, match=r"or the connection is intercepted|is not a fingerprint"):
        status(server.address)
    assert not find_known(server.address)


def test_a_changed_certificate_is_refused_in_clear_words_until_it_is_accepted(
    tmp_path: Path, stranger: pytest.MonkeyPatch
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        first = Server(tmp_path / "first", patch)
    stranger.setenv("AUTOSIM_TOKEN", first.token)
    stranger.setenv("AUTOSIM_FINGERPRINT", fingerprint(first))
    with first.process:
        assert status(first.address)
        mirror = Mirror(WORLD, first.address)
        # While the second server's owner starts it, this process is not the stranger's.
        is_started = threading.Event()

        def open_later(*arguments: Any) -> grpc.Channel:
            is_started.wait(60.0)
            return channels.open_channel(*arguments)

        stranger.setattr(updates, "open_channel", open_later)
    stranger.delenv("AUTOSIM_FINGERPRINT")
    with pytest.MonkeyPatch.context() as patch:
        second = Server(tmp_path / "second", patch, address=first.process.address)
    is_started.set()
    with second.process, mirror:
        with pytest.raises(ServerRefusedError, match="HAS CHANGED") as refused:
            status(first.address)
        assert fingerprint(first) in str(refused.value)
        assert f"--fingerprint {fingerprint(second)}" in str(refused.value)
        with pytest.raises(ServerRefusedError, match="HAS CHANGED"):
            mirror.connection.wait_for_state(30.0, step=1)
        stranger.setenv("AUTOSIM_TOKEN", second.token)
        stranger.setenv("AUTOSIM_FINGERPRINT", fingerprint(second))
        assert status(first.address)
        assert find_known(first.address) == fingerprint(second)


def test_insecure_is_loud_and_asks_for_a_token_all_the_same(
    tmp_path: Path, stranger: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        server = Server(tmp_path, patch, is_insecure=True)
    with server.process:
        assert "INSECURE" in server.said[0]
        with pytest.raises(ClientError, match="does not use encryption"):
            status(server.address)
        stranger.setenv("AUTOSIM_INSECURE", "1")
        with pytest.raises(ServerRefusedError, match="no token came with the call"):
            status(server.address)
        stranger.setenv("AUTOSIM_TOKEN", server.token)
        assert status(server.address)
    assert "INSECURE: the connection to" in capfd.readouterr().err


def test_a_certificate_of_ones_own_is_believed_by_who_knows_its_authority(
    tmp_path: Path, stranger: pytest.MonkeyPatch
) -> None:
    certificate, key = make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    make_certificate(tmp_path / "other")
    other_authority = tmp_path / "other" / "authority.pem"
    with pytest.MonkeyPatch.context() as patch:
        server = Server(tmp_path / "own", patch, certificate=certificate, key=key)
    with server.process:
        stranger.setenv("AUTOSIM_TOKEN", server.token)
        stranger.setenv("AUTOSIM_CA", str(tmp_path / "authority.pem"))
        assert status(server.address)
        stranger.setenv("AUTOSIM_CA", str(other_authority))
        with pytest.raises(ConnectionLostError, match="cannot prove who it is"):
            status(server.address)
        stranger.delenv("AUTOSIM_CA")
        stranger.setenv("AUTOSIM_FINGERPRINT", fingerprint(server))
        assert status(server.address)
        stranger.setenv("AUTOSIM_CA", str(tmp_path / "none.pem"))
        with pytest.raises(ClientError, match=r"none\.pem: error: No such file"):
            status(server.address)


def test_a_key_that_others_can_read_or_that_is_another_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    certificate, key = make_certificate(tmp_path)
    assert read_identity(certificate, key).fingerprint.startswith("SHA256:")
    own_identity()
    with pytest.raises(AccessError, match="is not the key of"):
        read_identity(certificate, tmp_path / "state" / "autosim" / "key.pem")
    with pytest.raises(AccessError, match="holds no certificate"):
        read_identity(key, key)
    key.chmod(0o644)
    with pytest.raises(AccessError, match="others than you can read it"):
        read_identity(certificate, key)


def test_nobody_at_the_address_is_nobody_and_no_question_of_certificates(
    stranger: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConnectionLostError, match="no server listens"):
        status("127.0.0.1:1")


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key; `authority.pem` in `folder` vouches for it."""
    certificate, key = folder / "own.pem", folder / "own.key"
    subprocess.run([sys.executable, "-c", _MAKE, str(folder)], check=True, capture_output=True)
    key.chmod(0o600)
    return certificate, key


_MAKE = """
import datetime, ipaddress, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
now = datetime.datetime.now(datetime.UTC)
authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))

def certificate(called, public, extension):
    name, by = (
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, each)])
        for each in (called, "authority")
    )
    return (
        x509.CertificateBuilder().subject_name(name).issuer_name(by).public_key(public)
        .serial_number(x509.random_serial_number()).not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=1)).add_extension(extension, False)
        .sign(authority, hashes.SHA256()).public_bytes(Encoding.PEM)
    )

def write(name, content):
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(content)

here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
root = x509.BasicConstraints(True, None)
write("authority.pem", certificate("authority", authority.public_key(), root))
write("own.pem", certificate("own", key.public_key(), here))
write("own.key", key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
"""
