"""Sessions of zenoh for tests."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autosim_testbench.backends.brokers import free_port


@pytest.fixture
def sessions() -> Iterator[Callable[[], Any]]:
    """Opens sessions at one router."""
    from autosim.ros2.zenoh_session import open_session

    router = f"tcp/127.0.0.1:{free_port()}"
    opened = [open_session(router)]
    assert opened[0].is_router

    def make() -> Any:
        opened.append(open_session(router))
        assert not opened[-1].is_router
        return opened[-1].session

    yield make
    for each in reversed(opened):
        each.session.close()
