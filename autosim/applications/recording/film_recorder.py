"""Records pictures as they are drawn: to a video, an animation, or numbered files in a folder."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from autosim.applications.recording.films import ANIMATED, FRAMES_PER_SECOND, VIDEO, open_film
from autosim.applications.recording.video import VideoError, check_encoder
from autosim.arrays import Bytes
from autosim.errors import UserError

MOST_PENDING = 50
"""Number of frames that may wait to be written. Where the disk is slower, the recording waits:
these are 140 MB of 1280 × 720 pixels."""

Pixels = Bytes


class RecordingError(UserError):
    """A recording cannot be written."""


class FilmRecorder:
    """Writes what it is given, at most `FRAMES_PER_SECOND`. Use as a context manager.

    Args:
        target: a file that ends in `.mp4`, `.webp` or `.png`, or a folder (no ending) for numbered
            PNGs.

    All pictures get the size of the first; those of another shape have black borders. They are
    written in a thread of the recorder's own.

    Raises:
        RecordingError: another ending, no encoder, or the folder cannot be made.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._times: list[float] = []
        self._size: tuple[int, int] | None = None
        self._writes: list[Future[None]] = []
        check_target(target)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._film = open_film(target)
        except OSError as error:
            raise RecordingError(f"{target}: cannot be recorded to: {error}") from error
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="recorder")

    @property
    def frames(self) -> int:
        """Number of pictures."""
        return len(self._times)

    def wants(self, now: float) -> bool:
        """Whether it is time [s] for another picture."""
        return not self._times or now - self._times[-1] >= 0.99 / FRAMES_PER_SECOND

    def add(self, pixels: Pixels, now: float) -> None:
        """Adds a picture (height, width, 3 or more) RGB… of the time `now` [s], where it is time.

        Raises:
            RecordingError: an earlier one could not be written.
        """
        if not self.wants(now):
            return
        if len(self._writes) >= MOST_PENDING:
            self._wait(self._writes.pop(0))
        image = Image.fromarray(np.ascontiguousarray(pixels[..., :3]))
        self._size = self._size or image.size
        if image.size != self._size:
            image = ImageOps.pad(image, self._size)
        self._times.append(now)
        self._writes.append(self._writer.submit(self._film.write, image, now - self._times[0]))

    def close(self) -> None:
        """Finishes the recording; a long animation takes a while.

        Raises:
            RecordingError: it cannot be written.
        """
        finish = self._writer.submit(self._film.close)
        self._writer.shutdown(wait=True)
        for write in (*self._writes, finish):
            self._wait(write)

    def _wait(self, write: "Future[None]") -> None:
        try:
            write.result()
        except VideoError as error:
            raise RecordingError(str(error)) from error
        except (OSError, ValueError) as error:
            raise RecordingError(f"{self._target}: cannot be written: {error}") from error

    def __enter__(self) -> "FilmRecorder":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def check_target(target: Path) -> None:
    """Refuses what cannot be recorded to, before anything is drawn.

    Raises:
        RecordingError: the ending is none of those that can be written, or the encoder is missing.
    """
    if target.suffix and target.suffix not in (VIDEO, *ANIMATED):
        known = ", ".join((VIDEO, *ANIMATED))
        raise RecordingError(
            f"{target}: recordings are {known}, or numbered PNG files in a folder (no ending); "
            "of such a folder ffmpeg makes any other kind of video"
        )
    if target.suffix == VIDEO:
        try:
            check_encoder()
        except VideoError as error:
            raise RecordingError(
                f"{target}: {error}; .webp and numbered pictures need no encoder"
            ) from error
