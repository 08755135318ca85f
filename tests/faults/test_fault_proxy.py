"""The proxy does to a connection what it says."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.faults.fault_proxy import FaultProxy, Weather


@pytest.fixture
def echo() -> Iterator[str]:
    """The address of a server that sends back what it gets."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    def answer(connection: socket.socket) -> None:
        with connection, suppress(ConnectionError):
            while data := connection.recv(65536):
                connection.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    yield f"127.0.0.1:{server.getsockname()[1]}"
    server.shutdown(socket.SHUT_RDWR)
    server.close()


@pytest.fixture
def proxy(echo: str) -> Iterator[FaultProxy]:
    with FaultProxy(echo) as proxy:
        yield proxy


def connect(proxy: FaultProxy) -> socket.socket:
    host, _, port = proxy.address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=20.0)


def read_all(client: socket.socket) -> bytes:
    """Everything until the other side ends the connection."""
    came = b""
    while data := client.recv(100):
        came += data
    return came


def test_what_is_sent_in_good_weather_comes_back(proxy: FaultProxy) -> None:
    with connect(proxy) as client:
        client.sendall(b"there and back")
        assert client.recv(100) == b"there and back"


def test_delayed_bytes_come_whole_and_in_order(proxy: FaultProxy) -> None:
    proxy.weather = Weather(delay=0.01, jitter=0.05, rate=1e6)
    sent = bytes(range(256)) * 200
    with connect(proxy) as client:
        client.sendall(sent)
        came = b""
        while len(came) < len(sent):
            came += client.recv(65536)
    assert came == sent


@pytest.mark.parametrize("weather", [Weather(is_black_hole=True), Weather(is_half_open=True)])
def test_nothing_returns_from_a_black_hole(proxy: FaultProxy, weather: Weather) -> None:
    proxy.weather = weather
    with connect(proxy) as client:
        client.sendall(b"lost")
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(100)
        proxy.heal()
        client.settimeout(20.0)
        with pytest.raises(ConnectionError):
            client.recv(100)
    with connect(proxy) as client:
        client.sendall(b"again")
        assert client.recv(100) == b"again"


def test_a_connection_is_cut_after_so_many_bytes(proxy: FaultProxy) -> None:
    proxy.weather = Weather(cut_after=10)
    with connect(proxy) as client:
        client.sendall(bytes(100))
        with pytest.raises(ConnectionError):
            assert len(read_all(client)) <= 10
