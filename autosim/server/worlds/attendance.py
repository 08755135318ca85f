"""The programs of clients that take part in a world."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Attending:
    """A program of the client at `peer` for `robot`."""

    peer: str
    robot: str


class Attendance:
    """The programs of clients that take part in a world, and those that are expected to.

    When robots are added or removed, the programs of clients leave one simulation and join the
    next one. Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._present: list[_Attending] = []
        self._expected: list[_Attending] = []
        self._next: Attendance | None = None
        self._is_complete = asyncio.Event()
        self._is_complete.set()

    @property
    def present(self) -> tuple[str, ...]:
        """The robots whose programs take part and have not sent that they leave."""
        return tuple(each.robot for each in self._present)

    @contextmanager
    def of(self, peer: str, robot: str) -> Iterator[Callable[[], None]]:
        """Inside, a program of the client at `peer` takes part for `robot`.

        Yields a function to call once the program has sent that it leaves: the next world does not
        expect it, although this one may not have read that yet. A connection that is lost or
        cancelled inside has the same effect.
        """
        attending = _Attending(peer, robot)
        self._present.append(attending)
        # A client that joins again does so over another connection.
        self._expect_less(next((each for each in self._expected if each.robot == robot), None))

        def leave() -> None:
            self._drop(attending)

        try:
            yield leave
        except BaseException:
            leave()
            raise
        finally:
            if attending in self._present:
                self._present.remove(attending)

    def expect(self, before: "Attendance", robots: Collection[str]) -> None:
        """Expects the programs for `robots` that take part in the world before."""
        before._next = self
        self._expected = [each for each in before._present if each.robot in robots]
        if self._expected:
            self._is_complete.clear()

    async def complete(self, seconds: float) -> tuple[str, ...]:
        """Waits until all that are expected take part, `seconds` at most.

        Returns:
            the robots whose programs are missing; no program is expected afterwards.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_complete.wait()
        missing = tuple(each.robot for each in self._expected)
        self._expected.clear()
        return missing

    def _drop(self, attending: _Attending) -> None:
        if attending in self._present:
            self._present.remove(attending)
        if self._next is not None and attending in self._next._expected:
            self._next._expect_less(attending)

    def _expect_less(self, found: _Attending | None) -> None:
        if found is not None:
            self._expected.remove(found)
        if not self._expected:
            self._is_complete.set()
