"""`autosim dataset`: complete frames, the same bytes, layouts that the tools of others read."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("panda3d")

from autosim.applications.dataset.frame_records import FrameRecord, read_record
from autosim.applications.dataset.kitti import write_kitti
from autosim.config.semantic_classes import BY_NAME
from tests.commands import AUTOSIM
from tests.paths import ROOT

TOWN = ROOT / "worlds" / "circle_town.xml"
SMALL = (
    "--size",
    "160x96",
    "--fov",
    "45",
    "--vehicles",
    "120",
    "--people",
    "20",
    "--period",
    "0.1",
)


def make(folder: Path, *options: str, frames: int = 2, expect: int = 0) -> str:
    """Runs the command; returns what it prints."""
    words = ["dataset", str(TOWN), "--frames", str(frames), "--out", str(folder), *SMALL]
    done = subprocess.run(
        [*AUTOSIM, *words, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == expect, done.stderr
    return done.stdout + done.stderr


def digests(folder: Path) -> dict[str, str]:
    """The digest of each file of a data set."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of two frames in COCO's layout."""
    folder = tmp_path_factory.mktemp("data") / "town"
    make(folder, "--seed", "3")
    return folder


def test_an_interrupted_run_continues_to_the_same_bytes(town: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    make(folder, "--seed", "3", frames=1)
    # What a run leaves that was killed within a frame: pictures, but no record.
    (folder / "images" / "000001.png").write_bytes(b"half")
    (folder / "images" / ".abc.part").write_bytes(b"half")
    assert "1 drawn now" in make(folder, "--seed", "3")
    assert digests(folder) == digests(town)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_masks_of_coco_are_those_of_the_instance_pictures(town: Path) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    found = coco.COCO(str(town / "annotations" / "instances.json"))
    annotations = found.dataset["annotations"]
    assert annotations
    for each in annotations:
        mask = found.annToMask(each).astype(bool)
        colours = np.asarray(Image.open(town / "instance" / f"{each['image_id']:06d}.png"))
        numbers = colours.astype(np.int64) @ np.array([1, 256, 65536])
        classes = np.asarray(Image.open(town / "semantic" / f"{each['image_id']:06d}.png"))
        assert (mask == (numbers == each["instance"])).all()
        assert set(classes[mask]) == {each["category_id"]}
        x, y, width, height = each["bbox"]
        assert mask[y : y + height, x : x + width].sum() == mask.sum() == each["area"]
    names = {each["name"]: each["id"] for each in found.dataset["categories"]}
    assert names["car"] == BY_NAME["car"].number


def test_visible_pixels_lie_in_the_projected_boxes(town: Path) -> None:
    record = json.loads((town / "frames" / "000000.json").read_text())
    seen = [each for each in record["objects"] if each["pixels"] > 20]
    for each in seen:
        left, top, right, bottom = each["outline"]
        inner = each["visible"]
        assert left - 2 <= inner[0] < inner[2] <= right + 2
        assert top - 2 <= inner[1] < inner[3] <= bottom + 2


def test_another_seed_in_the_same_folder_is_refused_in_one_line(town: Path) -> None:
    text = make(town, "--seed", "4", expect=1)
    assert "another seed (3, not 4): choose another folder" in text
    assert "Traceback" not in text


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    assert "holds other files" in make(tmp_path, expect=1)


def test_the_layout_of_kitti(tmp_path: Path) -> None:
    make(tmp_path / "kitti", "--format", "kitti", "--seed", "5", "--plain", frames=1)
    training = tmp_path / "kitti" / "training"
    calibration = (training / "calib" / "000000.txt").read_text().splitlines()
    assert [line.split(":")[0] for line in calibration] == [
        *("P0", "P1", "P2", "P3", "R0_rect", "Tr_velo_to_cam", "Tr_imu_to_velo")
    ]
    for line in (training / "label_2" / "000000.txt").read_text().splitlines():
        kind, *numbers = line.split()
        assert kind in ("Car", "Pedestrian", "Truck", "Cyclist", "Misc")
        assert len(numbers) == 14
    points = np.fromfile(training / "velodyne" / "000000.bin", dtype="<f4").reshape(-1, 4)
    assert len(points) > 100
    assert (points[:, 0] > 0.0).all()


def test_the_tables_of_nuscenes_refer_to_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "nuscenes"
    make(folder, "--format", "nuscenes", "--seed", "3")
    tables = {file.stem: json.loads(file.read_text()) for file in (folder / "v1.0-mini").iterdir()}
    assert len(tables) == 13
    tokens = {name: {row["token"] for row in rows} for name, rows in tables.items()}
    for rows in tables.values():
        for row in rows:
            for key, value in row.items():
                if key.endswith("_token") and key.removesuffix("_token") in tokens:
                    assert value in tokens[key.removesuffix("_token")]
    for row in tables["sample_data"]:
        assert (folder / row["filename"]).is_file()
    first, second = tables["sample"]
    assert (first["next"], second["prev"]) == (second["token"], first["token"])


def test_a_camera_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    text = make(tmp_path / "none", "--camera", "impreza.chassis.nose", frames=1, expect=1)
    assert "there is no camera 'impreza.chassis.nose'; there are: impreza." in text


def test_records_of_large_data_sets_are_written_one_after_the_other(
    town: Path, tmp_path: Path
) -> None:
    labels = tmp_path / "training" / "label_2"

    def records() -> Iterator[FrameRecord]:
        yield read_record(town, 0)
        assert (labels / "000000.txt").exists()
        yield read_record(town, 1)

    write_kitti(tmp_path, records())
    assert (tmp_path / "ImageSets" / "train.txt").read_text() == "000000\n000001\n"


def test_frames_have_the_time_of_the_whole_steps_between_them(tmp_path: Path) -> None:
    make(tmp_path / "short", "--period", "0.02")
    record = json.loads((tmp_path / "short" / "frames" / "000001.json").read_text())
    assert record["time"] == pytest.approx(5 / 240, abs=1e-6)  # the town has 240 steps a second


def test_the_camera_of_a_robot_sees_no_box_of_it(tmp_path: Path) -> None:
    make(tmp_path / "car", "--camera", "impreza.chassis.front_view")
    records = [
        json.loads((tmp_path / "car" / "frames" / f"{number:06d}.json").read_text())
        for number in range(2)
    ]
    for record in records:
        assert all(np.linalg.norm(each["camera_centre"]) > 2.0 for each in record["objects"])
    # Its program drives it.
    assert records[0]["position"] != records[1]["position"]
