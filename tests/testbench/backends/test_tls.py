"""TLS: messages go encrypted, to those alone whose certificate is right."""

import contextlib
import getpass
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim_testbench.backends import amqp, mqtt, zenoh
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.brokers import Broker, answers, free_port, require_program
from autosim_testbench.backends.opening import open_backend, risk_of
from autosim_testbench.backends.tls import client_context, split_tls

from .certificates import Authority

MOSQUITTO = """
user {user}
listener {port} 127.0.0.1
allow_anonymous true
cafile {ca}
certfile {certificate}
keyfile {key}
require_certificate true
"""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def mosquitto(authority: Authority) -> Iterator[str]:
    """The address of a mosquitto that wants to know who its clients are."""
    if mqtt.paho is None:
        pytest.skip("pip install 'autosim[mqtt]'")
    try:
        program = require_program("mosquitto", "sudo apt-get install mosquitto")
    except BackendError as error:
        pytest.skip(str(error))
    port = free_port()
    certificate, key = authority.sign("broker")

    def command(folder: Path) -> list[str]:
        file = folder / "mosquitto.conf"
        text = MOSQUITTO.format(
            user=getpass.getuser(), port=port, ca=authority.ca, certificate=certificate, key=key
        )
        file.write_text(text)
        return [program, "-c", str(file)]

    broker = Broker("mosquitto", command, is_ready=lambda _: answers(port))
    broker.start()
    yield f"mqtts://127.0.0.1:{port}"
    broker.close()


def talk(address: str) -> None:
    """Two connections, one message."""
    opened, got = open_backend(address), []
    receiver, sender = opened.connect("a"), opened.connect("b")
    receiver.subscribe("topic", got.append)
    sender.publish("topic", b"secret")
    receiver.process(10.0)
    for each in (receiver, sender, opened):
        each.close()
    assert got == [b"secret"]


def test_mqtt_knows_its_broker_and_is_known(mosquitto: str, authority: Authority) -> None:
    certificate, key = authority.sign("client")
    talk(f"{mosquitto}?ca={authority.ca}&certificate={certificate}&key={key}")
    with pytest.raises(BackendError, match=r"the MQTT broker at 127\.0\.0\.1 refuses: it ends"):
        open_backend(f"{mosquitto}?ca={authority.ca}").connect("nobody in particular")


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # the library's, after its fault
def test_mqtt_does_not_talk_to_a_stranger(mosquitto: str, tmp_path: Path) -> None:
    stranger = Authority(tmp_path, "stranger").ca
    with pytest.raises(BackendError, match=r"no MQTT broker answers at .*CERTIFICATE_VERIFY"):
        open_backend(f"{mosquitto}?ca={stranger}").connect("a")


class TlsListener:
    """Takes a client's TLS, and listens to what it says first."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.heard = b""
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        connected, _ = self._socket.accept()
        with (
            connected,
            contextlib.suppress(ssl.SSLError, ConnectionError),
            self._context.wrap_socket(connected, server_side=True) as encrypted,
        ):
            self.heard = encrypted.recv(8)

    def close(self) -> None:
        self._thread.join()
        self._socket.close()


@pytest.mark.skipif(amqp.pika is None, reason="pip install 'autosim[amqp]'")
@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
def test_amqp_talks_to_the_host_of_the_certificate_alone(
    address: str, authority: Authority
) -> None:
    listener = TlsListener(*authority.sign(address, address))
    with pytest.raises(BackendError, match="no AMQP broker answers at 127") as raised:
        open_backend(f"amqps://a:b@127.0.0.1:{listener.port}?ca={authority.ca}").connect("a")
    listener.close()
    is_right = address == "127.0.0.1"
    assert listener.heard == (b"AMQP\x00\x00\x09\x01" if is_right else b"")
    assert ("CERTIFICATE_VERIFY_FAILED" in str(raised.value)) == (not is_right)


@pytest.mark.skipif(zenoh.zenoh is None, reason="pip install 'autosim[zenoh]'")
def test_zenoh_talks_with_tls(authority: Authority, tmp_path: Path) -> None:
    port, (certificate, key) = free_port(), authority.sign("router")
    configuration = zenoh.zenoh.Config()
    settings = {
        "mode": "router",
        "listen/endpoints": [f"tls/127.0.0.1:{port}"],
        "scouting/multicast/enabled": False,
        "transport/link/tls/listen_certificate": str(certificate),
        "transport/link/tls/listen_private_key": str(key),
    }
    for name, value in settings.items():
        configuration.insert_json5(name, json.dumps(value))
    with zenoh.zenoh.open(configuration):
        talk(f"zenoh:tls/127.0.0.1:{port}?ca={authority.ca}")
        stranger = Authority(tmp_path, "stranger").ca
        with pytest.raises(BackendError, match="zenoh cannot be opened"):
            open_backend(f"zenoh:tls/127.0.0.1:{port}?ca={stranger}").connect("a")


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(BackendError, match=r"TLS cannot use /no/ca\.pem: No such file"):
        client_context(split_tls("mqtts://host?ca=/no/ca.pem")[1])
    with pytest.raises(BackendError, match="'cafile' in an address is none of ca, certificate, ke"):
        split_tls("mqtts://host?cafile=a")


@pytest.mark.parametrize(
    ("address", "risk"),
    [
        ("embedded", ""),
        ("mqtt", ""),
        ("ros1", "all users of this machine can listen"),
        ("ros1://robot", "all who reach this machine's ports can listen"),
        ("mqtt://user:word@broker:1883", "with TLS the address is broker:1883"),
        ("mqtt://broker:1883", "with TLS the address is mqtts://broker:1883"),
        ("amqp://127.0.0.1:5672", ""),
        ("amqps://broker", ""),
        ("zenoh:tcp/10.0.0.7:7447", "with TLS the address is zenoh:tls/10.0.0.7:7447"),
        ("zenoh:tls/10.0.0.7:7447?ca=a", ""),
    ],
)
def test_a_user_is_told_what_others_can_read(address: str, risk: str) -> None:
    found = risk_of(address)
    assert risk in found
    assert bool(found) == bool(risk)
    assert "word" not in found.replace("passwords", "")
