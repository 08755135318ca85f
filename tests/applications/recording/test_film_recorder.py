"""Recordings: what is written can be read again, frame by frame."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from autosim.applications.recording import video
from autosim.applications.recording.film_recorder import FilmRecorder, RecordingError
from autosim.applications.recording.films import durations_ms


def picture(number: int) -> np.ndarray:
    pixels = np.full((24, 32, 4), 255, dtype=np.uint8)
    pixels[..., :3] = (12 * number, 255 - 12 * number, 128)
    return pixels


def record(target: Path, count: int, step: float = 0.1) -> None:
    with FilmRecorder(target) as recorder:
        for number in range(count):
            recorder.add(picture(number), 5.0 + step * number)


@pytest.mark.parametrize("ending", [".webp", ".png"])
def test_an_animation_has_all_frames_for_their_time(tmp_path: Path, ending: str) -> None:
    target = tmp_path / "new" / f"film{ending}"
    record(target, 9)
    with Image.open(target) as film:
        frames = [frame.convert("RGB").copy() for frame in ImageSequence.Iterator(film)]
        film.seek(3)
        film.load()
        assert film.info["duration"] == pytest.approx(100, abs=1)
    assert len(frames) == 9
    for number, frame in enumerate(frames):
        np.testing.assert_allclose(np.asarray(frame)[12, 16], picture(number)[0, 0, :3], atol=6)


def test_a_folder_gets_numbered_pictures(tmp_path: Path) -> None:
    record(tmp_path / "film", 3)
    files = sorted((tmp_path / "film").iterdir())
    assert [file.name for file in files] == ["000000.png", "000001.png", "000002.png"]
    with Image.open(files[2]) as image:
        np.testing.assert_array_equal(np.asarray(image), picture(2)[..., :3])


def test_pictures_that_come_too_fast_are_left_out(tmp_path: Path) -> None:
    record(tmp_path / "film", 20, step=0.01)
    assert len(list((tmp_path / "film").iterdir())) == 5


def test_all_pictures_have_the_size_of_the_first(tmp_path: Path) -> None:
    with FilmRecorder(tmp_path / "film.webp") as recorder:
        recorder.add(picture(0), 0.0)
        recorder.add(np.zeros((48, 100, 3), dtype=np.uint8), 1.0)
    with Image.open(tmp_path / "film.webp") as film:
        assert film.size == (32, 24)
        assert film.n_frames == 2


def test_an_empty_recording_writes_nothing(tmp_path: Path) -> None:
    record(tmp_path / "film.webp", 0)
    assert not (tmp_path / "film.webp").exists()


def test_an_ending_that_nobody_can_write_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"\.webp.*ffmpeg"):
        FilmRecorder(tmp_path / "film.avi")


def test_a_place_that_is_no_folder_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot be recorded"):
        FilmRecorder(tmp_path / "file" / "film.webp")


def test_durations_add_up_to_the_time_recorded() -> None:
    times = [1.0 + number / 30.0 for number in range(91)]
    assert sum(durations_ms(times)[:-1]) == 3000


def frames_of(target: Path) -> tuple[list[np.ndarray], list[float]]:
    """Pictures and times [s] of a video, decoded."""
    av = pytest.importorskip("av")
    with av.open(str(target)) as container:
        decoded = list(container.decode(video=0))
    return [frame.to_ndarray(format="rgb24") for frame in decoded], [f.time for f in decoded]


def test_a_video_has_all_frames_at_their_times(tmp_path: Path) -> None:
    pytest.importorskip("av")
    record(tmp_path / "film.mp4", 9)
    frames, times = frames_of(tmp_path / "film.mp4")
    np.testing.assert_allclose(times, 0.1 * np.arange(9), atol=1e-3)
    for number, frame in enumerate(frames):
        assert frame.shape == (24, 32, 3)
        np.testing.assert_allclose(frame[12, 16], picture(number)[0, 0, :3], atol=6)


def test_a_video_is_h264_in_a_form_that_browsers_play(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    record(tmp_path / "film.mp4", 3)
    with av.open(str(tmp_path / "film.mp4")) as container:
        context = container.streams.video[0].codec_context
        assert (context.name, context.pix_fmt) == ("h264", "yuv420p")


def test_pictures_of_another_shape_are_not_stretched(tmp_path: Path) -> None:
    with FilmRecorder(tmp_path / "out") as recorder:
        recorder.add(np.zeros((24, 32, 3), np.uint8), 0.0)
        recorder.add(np.full((48, 12, 3), 255, np.uint8), 1.0)
    (_, second) = sorted((tmp_path / "out").iterdir())
    with Image.open(second) as picture:
        white = np.asarray(picture)[..., 0] > 200
    assert white.shape == (24, 32)
    # 12 × 48 within 32 × 24: 6 columns in the middle.
    assert white[:, 14:18].all()
    assert not white[:, :12].any()
    assert not white[:, 20:].any()


def test_a_video_of_an_odd_size_loses_a_row_and_a_column(tmp_path: Path) -> None:
    pytest.importorskip("av")
    with FilmRecorder(tmp_path / "film.mp4") as recorder:
        recorder.add(np.zeros((25, 33, 3), dtype=np.uint8), 0.0)
    assert frames_of(tmp_path / "film.mp4")[0][0].shape == (24, 32, 3)


KILLED = """
import os, signal, sys
import numpy as np
from pathlib import Path
from autosim.applications.recording.video import VideoFile
from PIL import Image

video = VideoFile(Path(sys.argv[1]))
for number in range(40):
    pixels = np.random.default_rng(number).integers(0, 255, (48, 64, 3), dtype=np.uint8)
    video.write(Image.fromarray(pixels), 0.1 * number)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_video_of_a_killed_process_can_be_played(tmp_path: Path) -> None:
    pytest.importorskip("av")
    target = tmp_path / "film.mp4"
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert done.returncode < 0
    assert len(frames_of(target)[0]) >= 25  # of 40 in 4 s, all but the last fragment


def test_a_missing_encoder_is_named_with_its_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(video, "find_spec", lambda name: None)
    with pytest.raises(RecordingError, match=r"autosim\[video\]"):
        FilmRecorder(tmp_path / "film.mp4")


def test_a_video_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    pytest.importorskip("av")
    (tmp_path / "film.mp4").mkdir()
    recorder = FilmRecorder(tmp_path / "film.mp4")
    recorder.add(picture(0), 0.0)
    with pytest.raises(RecordingError, match="cannot be written"):
        recorder.close()
