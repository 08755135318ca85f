"""Pictures that user programs ask for, drawn in the thread that owns the renderer."""

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from autosim.model.state import State
from autosim.userprogram.ipc.camera_images import DrawnImage, ImageMemory, ImageSlot, PictureRequest

Render = Callable[[Sequence[PictureRequest], State], Sequence[DrawnImage]]
"""Draws pictures of a state, in the order of the wishes."""

_NO_LAYOUT = "none"
"""No digest of a layout: no state is of it."""


class ImageJob:
    """Pictures of one state: asked for in one thread, drawn in another.

    Args:
        wishes: the cameras and kinds.
        state: what to draw; it stands still until the job is done.
        images: where the pictures belong.

    `places`: where they are, once they are drawn. `is_passed_on`: they are not drawn here,
    since the renderer draws states of another layout.
    """

    def __init__(self, wishes: Sequence[PictureRequest], state: State, images: ImageMemory) -> None:
        self.wishes = wishes
        self.state = state
        self.images = images
        self.places: list[ImageSlot] = []
        self.is_passed_on = False
        self._is_done = threading.Event()
        self._failure = ""

    def finish(self, failure: str = "") -> None:
        """Ends the job: the pictures are there, or `failure` states why they are not."""
        self._failure = failure
        self._is_done.set()

    def pass_on(self) -> None:
        """Ends it without a picture, which the server is to draw."""
        self.is_passed_on = True
        self._is_done.set()

    def wait(self) -> str:
        """Waits for the end; returns what went wrong, "" where nothing did."""
        self._is_done.wait()
        return self._failure


class ImageQueue:
    """Takes jobs from any thread; draws them in the one that calls `serve`.

    Args:
        render: the renderer, None where there is none.
        layout_digest: of the tree whose states it draws. Jobs with states of another layout
            are passed on; "": it draws all.
        on_order: called with each job, in the thread that orders it.
    """

    def __init__(
        self,
        render: Render | None,
        *,
        layout_digest: str = "",
        on_order: Callable[[], None] = lambda: None,
    ) -> None:
        self._render = render
        self._layout_digest = layout_digest
        self._on_order = on_order
        self._jobs: SimpleQueue[ImageJob] = SimpleQueue()
        self._lock = threading.Lock()
        self._is_closed = False

    def order(self, job: ImageJob) -> str:
        """Executes `job` and waits for it; returns the error message, "" for success."""
        with self._lock:
            if self._is_closed or self._render is None:
                return "this client does not draw"
            if self._layout_digest not in ("", job.state.tree.digest):
                job.pass_on()
                return ""
            self._jobs.put(job)
        self._on_order()
        return job.wait()

    def hold(self) -> None:
        """Draws nothing until `use`: the renderer is about to be closed. All jobs are passed on."""
        with self._lock:
            self._layout_digest = _NO_LAYOUT
        self.serve()

    def use(self, render: Render | None, layout_digest: str) -> None:
        """Draws states of another layout with another renderer."""
        with self._lock:
            self._render, self._layout_digest = render, layout_digest

    @property
    def render(self) -> Render | None:
        """The present renderer."""
        return self._render

    @property
    def draws(self) -> bool:
        """Whether anything draws here."""
        return self._render is not None

    @property
    def has_orders(self) -> bool:
        """Whether a picture is waited for."""
        return not self._jobs.empty()

    def serve(self, timeout: float = 0.0) -> bool:
        """Draws what has been asked for; waits at most `timeout` [s] for the first job.

        Returns:
            whether anything was drawn.
        """
        has_drawn = False
        try:
            while True:
                job = self._jobs.get(block=not has_drawn and timeout > 0.0, timeout=timeout)
                if self._layout_digest in ("", job.state.tree.digest):
                    job.finish(self._draw(job))
                    has_drawn = True
                else:
                    job.pass_on()
        except Empty:
            return has_drawn

    def _draw(self, job: ImageJob) -> str:
        assert self._render is not None
        try:
            job.places = job.images.put(list(self._render(job.wishes, job.state)))
        except Exception as error:
            names = ", ".join(dict.fromkeys(f"'{wish.camera}'" for wish in job.wishes))
            return f"no picture of {names}: {error}"
        return ""

    def close(self) -> None:
        """Releases the waiting threads without a picture."""
        with self._lock:
            self._is_closed = True
        try:
            while True:
                self._jobs.get(block=False).finish("the client is ending")
        except Empty:
            return
