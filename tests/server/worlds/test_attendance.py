"""A world waits for the programs of clients that took part in the one before it."""

import asyncio

from autosim.server.worlds.attendance import Attendance


def test_a_program_that_joins_over_another_connection_is_awaited_no_longer() -> None:
    before, after = Attendance(), Attendance()
    with before.of("peer 1", "car"), before.of("peer 1", "gone"):
        after.expect(before, ["car"])
    with after.of("peer 2", "car"):
        assert asyncio.run(after.complete(60.0)) == ()


def test_a_program_that_does_not_join_in_time_is_reported_once() -> None:
    before, after = Attendance(), Attendance()
    with before.of("peer 1", "car"):
        after.expect(before, ["car"])

    async def wait_twice() -> None:
        assert await after.complete(0.0) == ("car",)
        assert await after.complete(0.0) == ()

    asyncio.run(wait_twice())


def test_a_program_whose_client_is_gone_is_not_awaited() -> None:
    before, after = Attendance(), Attendance()
    with before.of("peer 1", "car"):
        after.expect(before, ["car"])
    before.forget("peer 1")
    assert asyncio.run(after.complete(60.0)) == ()
