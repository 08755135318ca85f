"""Records pictures: numbered PNG files in a folder, or one animated WebP or PNG file.

The frames lie on disk until the end, so that a long recording needs no more memory
than a short one.
"""

import tempfile
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from autosim.errors import UserError

ANIMATED = {".webp": "WEBP", ".png": "PNG"}
FRAMES_PER_SECOND = 25.0
MOST_PENDING = 50
"""Frames that wait to be written; where the disk is slower, whoever records waits."""

Pixels = npt.NDArray[np.uint8]


class RecordingError(UserError):
    """A recording cannot be written."""


class Recorder:
    """Writes what it is given, at most `FRAMES_PER_SECOND`. Use as a context manager.

    Args:
        target: a file that ends in `.webp` or `.png`, or a folder (no ending) for numbered PNGs.

    All pictures get the size of the first.

    Raises:
        RecordingError: another ending, or the folder cannot be made.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._times: list[float] = []
        self._size: tuple[int, int] | None = None
        self._writes: list[Future[None]] = []
        self._spool: tempfile.TemporaryDirectory[str] | None = None
        check_target(target)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.suffix:
                self._spool = tempfile.TemporaryDirectory(prefix="autosim-recording-")
                self._folder = Path(self._spool.name)
            else:
                target.mkdir(exist_ok=True)
                self._folder = target
        except OSError as error:
            raise RecordingError(f"{target}: cannot be recorded to: {error}") from error
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="recorder")

    @property
    def frames(self) -> int:
        """How many pictures there are."""
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
        file = self._folder / f"{self.frames:06d}.png"
        image = Image.fromarray(np.ascontiguousarray(pixels[..., :3]))
        self._size = self._size or image.size
        if image.size != self._size:
            image = image.resize(self._size)
        self._writes.append(self._writer.submit(image.save, file, compress_level=1))
        self._times.append(now)

    def close(self) -> None:
        """Finishes the recording; a long one takes a while.

        Raises:
            RecordingError: it cannot be written.
        """
        self._writer.shutdown(wait=True)
        try:
            for write in self._writes:
                self._wait(write)
            if self._spool is not None and self.frames:
                self._animate()
        finally:
            if self._spool is not None:
                self._spool.cleanup()

    def _animate(self) -> None:
        files = [self._folder / f"{number:06d}.png" for number in range(self.frames)]
        options = {"quality": 80, "method": 2} if self._target.suffix == ".webp" else {}
        try:
            _FilmStrip(files).save(
                self._target,
                format=ANIMATED[self._target.suffix],
                save_all=True,
                duration=durations_ms(self._times),
                loop=0,
                **options,
            )
        except (OSError, ValueError) as error:
            raise RecordingError(f"{self._target}: cannot be written: {error}") from error

    def _wait(self, write: "Future[None]") -> None:
        try:
            write.result()
        except OSError as error:
            raise RecordingError(f"{self._target}: cannot be written: {error}") from error

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def check_target(target: Path) -> None:
    """Refuses what cannot be recorded to, before anything is drawn.

    Raises:
        RecordingError: the ending is none of those that can be written.
    """
    if target.suffix and target.suffix not in ANIMATED:
        known = ", ".join(ANIMATED)
        raise RecordingError(
            f"{target}: recordings are {known}, or numbered PNG files in a folder (no ending); "
            "of such a folder ffmpeg makes any other kind of video"
        )


def durations_ms(times: Sequence[float]) -> list[int]:
    """How long each picture of `times` [s] is shown [ms]; rounding does not add up."""
    edges = np.round(1e3 * (np.asarray(times) - times[0])).astype(int)
    last = round(1e3 / FRAMES_PER_SECOND)
    return [*np.maximum(np.diff(edges), 1).tolist(), last]


class _FilmStrip(Image.Image):
    """Many files as one picture of many frames, of which one at a time is in memory."""

    def __init__(self, files: Sequence[Path]) -> None:
        super().__init__()
        self._files = files
        self._frame = -1
        self.seek(0)

    @property
    def n_frames(self) -> int:
        """How many frames there are."""
        return len(self._files)

    def tell(self) -> int:
        """The frame that is in memory."""
        return self._frame

    def seek(self, frame: int) -> None:
        """Reads a frame.

        Raises:
            EOFError: there is none of that number.
        """
        if not 0 <= frame < len(self._files):
            raise EOFError(f"no frame {frame}")
        if frame != self._frame:
            with Image.open(self._files[frame]) as image:
                image.load()
                self.im, self._mode, self._size = image.im, image.mode, image.size
            self._frame = frame
