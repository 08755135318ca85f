"""Calls that may take long: made in other threads, answered in the window's."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from PyQt6.QtCore import QObject, pyqtSignal, pyqtSlot

T = TypeVar("T")
THREADS = 4
"""Number of threads for calls in no order: questions for status, clients and programs, and one
more."""


class BackgroundCalls(QObject):
    """Runs work beside the window and hands results back to its thread."""

    _returned = pyqtSignal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="window")
        self._queue = ThreadPoolExecutor(1, thread_name_prefix="window-order")
        self._is_closed = False
        # Sent from other threads: Qt queues it for this one.
        self._returned.connect(self._finish)

    def submit(
        self,
        work: Callable[[], T],
        *,
        on_result: Callable[[T], None] = lambda result: None,
        on_error: Callable[[Exception], None] = lambda error: None,
        is_in_order: bool = False,
    ) -> "Future[T]":
        """Does `work` in another thread; then calls one of the two in the window's.

        What `is_in_order` is done one after another; all else at once.
        """

        def tell(future: "Future[T]") -> None:
            if future.cancelled() or self._is_closed:
                return
            error = future.exception()
            if error is None:
                self._returned.emit(lambda: on_result(future.result()))
            elif isinstance(error, Exception):
                self._returned.emit(lambda: on_error(error))

        future = (self._queue if is_in_order else self._pool).submit(work)
        future.add_done_callback(tell)
        return future

    @pyqtSlot(object)
    def _finish(self, answer: Callable[[], None]) -> None:
        if not self._is_closed:
            answer()

    def close(self) -> None:
        """Discards all further answers, and does not wait for them."""
        self._is_closed = True
        for pool in (self._pool, self._queue):
            pool.shutdown(wait=False, cancel_futures=True)
