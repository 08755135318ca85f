import asyncio

import pytest
import uvloop

from autosim.server.network.address import split_address
from autosim.server.network.front import Event, Front, Listening
from autosim.server.server_errors import AddressError
from autosim.wire import DEFAULT_PORT
from tests.server.light_simulation import light_options, light_world


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:0", ("127.0.0.1", 0)),
        ("localhost", ("localhost", DEFAULT_PORT)),
        ("[::1]:2008", ("::1", 2008)),
        ("[::1]", ("::1", DEFAULT_PORT)),
    ],
)
def test_addresses_are_understood(text: str, expected: tuple[str, int]) -> None:
    assert split_address(text) == expected


@pytest.mark.parametrize("text", ["", ":5", "here:", "here:-1", "here:port", "here:70000"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="expected HOST:PORT"):
        split_address(text)


def test_a_host_that_holds_a_port_is_named() -> None:
    async def serve() -> None:
        async with Front(light_world(), light_options(address="127.0.0.1:0:2008")):
            pass

    with pytest.raises(AddressError, match="holds a port: give the host alone"):
        uvloop.run(serve())


def test_a_server_listens_on_other_addresses_when_told_to() -> None:
    async def run() -> str:
        options = light_options(address="0.0.0.0:0", is_insecure=True)
        async with Front(light_world(), options) as front:
            return front.address

    host, port = uvloop.run(run()).split(":")
    assert host == "0.0.0.0"
    assert int(port) > 0


def test_a_port_that_is_taken_is_named() -> None:
    async def run() -> str:
        async with Front(light_world(), light_options()) as front:
            with pytest.raises(AddressError) as caught:
                async with Front(light_world(), light_options(address=front.address)):
                    raise AssertionError("two servers share a port")
            assert front.address in str(caught.value)
            return str(caught.value)

    assert "the port is taken" in uvloop.run(run())


def test_the_chosen_port_is_told() -> None:
    events: list[Event] = []

    async def run() -> str:
        async with Front(light_world(), light_options(), on_event=events.append) as front:
            front.stop()
            async with asyncio.timeout(10.0):
                await front.finished()
            return front.address

    address = uvloop.run(run())
    assert Listening(address) in events
    assert not address.endswith(":0")
