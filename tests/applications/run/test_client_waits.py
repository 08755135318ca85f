"""`autosim client` that is started before its server says so at once, also into a pipe."""

import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

from autosim.cli import main

WORLD = "worlds/circle_town.xml"


@pytest.mark.parametrize("world", [[], [WORLD]], ids=["the server's world", "a named world"])
def test_a_client_ahead_of_its_server_says_that_it_waits_how_long_and_how_to_end(world):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "autosim", "client", *world, "--headless", "--server", address]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = next(line for line in process.stderr if "waiting" in line)
            assert said.startswith(f"no server listens at {address} yet: waiting for one")
            assert "for 60 s; Ctrl-C ends" in said
            process.send_signal(2)
            assert process.stderr.read() == "interrupted\n"
            assert process.wait() == 130
        finally:
            process.kill()


def test_an_address_in_place_of_a_world_is_pointed_to_its_option():
    result = CliRunner().invoke(main, ("client", "127.0.0.1:2008", "--headless"))
    assert result.exit_code == 2
    assert "an address is given as --server 127.0.0.1:2008" in result.output
