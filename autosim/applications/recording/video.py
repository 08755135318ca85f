"""MP4 files with H.264, which every browser and player shows, by FFmpeg's libraries (PyAV).

The file is fragmented: each second of it is complete once written, so that what a killed process
leaves behind can be played up to its last second.
"""

from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from autosim.errors import UserError

if TYPE_CHECKING:
    from av import VideoStream
    from av.container import OutputContainer

FRAMES_PER_KEYFRAME = 50
"""Number of frames from one key frame, at which a player can begin, to the next: two seconds of
film."""

QUALITY = 20
"""Constant rate factor of x264: 0 is lossless, 51 the worst; 18 to 23 look like the original."""

_TICKS = 90_000
"""Time stamps in a second, as MPEG counts them."""

# Nothing is held back: what is encoded can be written, and what is written can be shown.
_ENCODER = {"crf": str(QUALITY), "preset": "veryfast", "tune": "zerolatency"}
_FRAGMENT_SECONDS = 1.0
"""Length [s] of film that is written at once, and lost if the process is killed."""

_CONTAINER = {
    "movflags": "frag_keyframe+empty_moov+default_base_moof",
    "frag_duration": str(round(1e6 * _FRAGMENT_SECONDS)),
    "flush_packets": "1",
}


class VideoError(UserError):
    """A video cannot be written."""


def has_encoder() -> bool:
    """Whether videos can be encoded here."""
    return find_spec("av") is not None


def check_encoder() -> None:
    """Refuses where videos cannot be encoded.

    Raises:
        VideoError: PyAV is not installed.
    """
    if not has_encoder():
        raise VideoError("videos need PyAV, which is not installed: pip install 'autosim[video]'")


class VideoFile:
    """Writes pictures to an MP4 file, each with its time.

    Args:
        target: the file.

    Raises:
        VideoError: PyAV is not installed, or the file cannot be made.
    """

    def __init__(self, target: Path) -> None:
        check_encoder()
        self._target = target
        self._container: OutputContainer | None = None
        self._stream: VideoStream | None = None
        self._last = -1

    def write(self, image: Image.Image, seconds: float) -> None:
        """Adds a picture of the time `seconds` since the first; all have the first one's size.

        Raises:
            VideoError: the file cannot be written.
        """
        import av

        try:
            if self._container is None or self._stream is None:
                self._open(*image.size)
            assert self._container is not None
            assert self._stream is not None
            # H.264 stores colour at half the resolution: an odd last row or column is left out.
            pixels = np.asarray(image.convert("RGB"))[: self._stream.height, : self._stream.width]
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            self._last = frame.pts = max(round(_TICKS * seconds), self._last + 1)
            frame.time_base = Fraction(1, _TICKS)
            self._container.mux(self._stream.encode(frame))
        except (av.FFmpegError, OSError, ValueError) as error:
            raise VideoError(f"{self._target}: cannot be written: {error}") from error

    def close(self) -> None:
        """Finishes the file; without a picture there is none.

        Raises:
            VideoError: it cannot be written.
        """
        import av

        if self._container is None or self._stream is None:
            return
        try:
            self._container.mux(self._stream.encode(None))
            self._container.close()
        except (av.FFmpegError, OSError, ValueError) as error:
            raise VideoError(f"{self._target}: cannot be written: {error}") from error

    def _open(self, width: int, height: int) -> None:
        import av

        self._container = av.open(str(self._target), "w", format="mp4", options=_CONTAINER)
        stream = self._container.add_stream("libx264", rate=25, options=_ENCODER)
        stream.width, stream.height = width // 2 * 2, height // 2 * 2
        stream.pix_fmt = "yuv420p"
        stream.codec_context.gop_size = FRAMES_PER_KEYFRAME
        stream.codec_context.time_base = Fraction(1, _TICKS)
        self._stream = stream
