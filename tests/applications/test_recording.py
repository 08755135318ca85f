"""Recordings: what is written can be read again, frame by frame."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from autosim.applications.recording import Recorder, RecordingError, durations_ms


def picture(number: int) -> np.ndarray:
    pixels = np.full((24, 32, 4), 255, dtype=np.uint8)
    pixels[..., :3] = (12 * number, 255 - 12 * number, 128)
    return pixels


def record(target: Path, count: int, step: float = 0.1) -> None:
    with Recorder(target) as recorder:
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
    with Recorder(tmp_path / "film.webp") as recorder:
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
        Recorder(tmp_path / "film.mp4")


def test_a_place_that_is_no_folder_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot be recorded"):
        Recorder(tmp_path / "file" / "film.webp")


def test_durations_add_up_to_the_time_recorded() -> None:
    times = [1.0 + number / 30.0 for number in range(91)]
    assert sum(durations_ms(times)[:-1]) == 3000
