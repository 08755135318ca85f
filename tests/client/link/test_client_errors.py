"""What errors of the network mean, for people."""

import grpc
import pytest

from autosim.client.link.client_errors import NO_ANSWER, ConnectionLostError, explain_rpc_error
from autosim.client.link.simulation_control import simulation_control
from autosim.wire import WORLD_CHANGED

Code = grpc.StatusCode


class Error(grpc.RpcError):
    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        self.code, self.details = (lambda: code), (lambda: details)


@pytest.mark.parametrize(
    ("code", "details", "meaning"),
    [
        (Code.UNAVAILABLE, "Socket closed", "the server at a:1 went away"),
        (Code.UNAVAILABLE, "keepalive watchdog timeout", f"the server at a:1 {NO_ANSWER}"),
        (Code.CANCELLED, "Channel closed!", "the connection to a:1 is closed"),
        (
            Code.UNAVAILABLE,
            "failed to connect to all addresses; last error: UNKNOWN: Connection refused",
            "no server listens at a:1: start autosim server there",
        ),
        (
            Code.UNAVAILABLE,
            "errors resolving a:1: [field:hostname lookup error]",
            "there is no host that 'a:1' names",
        ),
        (
            Code.UNAVAILABLE,
            WORLD_CHANGED,
            "the server at a:1 cannot be reached: its world has changed",
        ),
        (
            Code.ABORTED,
            "the simulation process was ended by SIGKILL",
            "the server at a:1: the simulation process was ended by SIGKILL",
        ),
    ],
)
def test_people_hear_what_a_server_says_and_no_words_of_grpc(
    code: grpc.StatusCode, details: str, meaning: str
) -> None:
    assert str(explain_rpc_error(Error(code, details), "a:1")) == meaning


def test_a_host_that_nobody_knows_is_named() -> None:
    with (
        pytest.raises(ConnectionLostError, match="no host that 'no host:1' names"),
        simulation_control("no host:1") as control,
    ):
        control.status()
