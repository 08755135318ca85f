"""Formats of a recording: numbered pictures, an animation, a video."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image

from autosim.applications.recording.video import VideoFile
from autosim.helper_processes.scratch_folder import ScratchFolder

ANIMATED = {".webp": "WEBP", ".png": "PNG"}
VIDEO = ".mp4"
FRAMES_PER_SECOND = 25.0
"""Default frames per second of a film: enough for even motion (PAL's rate)."""


class Film(Protocol):
    """Takes pictures one after the other."""

    def write(self, image: Image.Image, seconds: float) -> None:
        """Adds a picture of the time `seconds` since the first."""

    def close(self) -> None:
        """Finishes the film."""


class PictureFolder:
    """Numbered PNG files in a folder, which is made."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self.files: list[Path] = []

    def write(self, image: Image.Image, seconds: float) -> None:
        """Writes the next file."""
        file = self._folder / f"{len(self.files):06d}.png"
        image.save(file, compress_level=1)
        self.files.append(file)

    def close(self) -> None:
        """Has nothing to finish."""


class Animation:
    """One animated WebP or PNG file.

    The frames lie on disk until the end, so that a long one needs no more memory than a short one.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._spool = ScratchFolder("film")
        self._frames = PictureFolder(self._spool.path)
        self._times: list[float] = []

    def write(self, image: Image.Image, seconds: float) -> None:
        """Keeps a frame."""
        self._frames.write(image, seconds)
        self._times.append(seconds)

    def close(self) -> None:
        """Writes the file, if there is a frame; a long one takes a while."""
        try:
            if self._times:
                self._animate()
        finally:
            self._spool.close()

    def _animate(self) -> None:
        options = {"quality": 80, "method": 2} if self._target.suffix == ".webp" else {}
        _FilmStrip(self._frames.files).save(
            self._target,
            format=ANIMATED[self._target.suffix],
            save_all=True,
            duration=durations_ms(self._times),
            loop=0,
            **options,
        )


def open_film(target: Path) -> Film:
    """The film that a file's ending asks for; without an ending, a folder."""
    if target.suffix == VIDEO:
        return VideoFile(target)
    return Animation(target) if target.suffix else PictureFolder(target)


def durations_ms(times: Sequence[float]) -> list[int]:
    """Duration of each picture of `times` [s] in [ms]; rounding errors do not add up."""
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
        """Number of frames."""
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
