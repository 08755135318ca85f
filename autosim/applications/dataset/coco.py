"""COCO's layout: `annotations/instances.json`, with masks as uncompressed run-length code.

Format: cocodataset.org, "Data format", object detection. `occlusion`, `truncation`, `track`,
`size` and the centre and rotation in the camera's frame are in addition to COCO's own keys.
"""

from collections.abc import Iterable
from pathlib import Path

from autosim.applications.common.files import write_whole
from autosim.applications.dataset.frame_records import CATEGORIES, FrameRecord, as_json
from autosim.config.semantic_classes import BY_NAME


def write_coco(folder: Path, records: Iterable[FrameRecord], width: int, height: int) -> None:
    """Writes the annotations of all frames."""
    images: list[dict[str, object]] = []
    annotations: list[dict[str, object]] = []
    for record in records:
        images.append(
            {
                "id": record["frame"],
                "file_name": f"{record['frame']:06d}.png",
                "width": width,
                "height": height,
                "scene": record["scene"],
                "camera_matrix": record["matrix"],
            }
        )
        boxes = {each["number"]: each for each in record["objects"]}
        for segment in record["segments"]:
            found: dict[str, object] = {
                "id": len(annotations) + 1,
                "image_id": record["frame"],
                "category_id": BY_NAME[segment["category"]].number,
                "bbox": segment["box"],
                "area": segment["pixels"],
                "iscrowd": 0,
                "segmentation": {"size": [height, width], "counts": segment["counts"]},
                "instance": segment["number"],
            }
            box = boxes.get(segment["number"])
            if box is not None:
                found |= {
                    "track": box["track"],
                    "occlusion": box["occlusion"],
                    "truncation": box["truncation"],
                    "size": box["size"],
                    "camera_centre": box["camera_centre"],
                    "camera_rotation": box["camera_rotation"],
                }
            annotations.append(found)
    content = {
        "info": {"description": "AutoSim", "version": "1.0"},
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": [
            {"id": BY_NAME[name].number, "name": name, "supercategory": _kind(name)}
            for name in CATEGORIES
        ],
    }
    write_whole(folder / "annotations" / "instances.json", as_json(content))


def _kind(name: str) -> str:
    return "person" if name == "person" else "vehicle"
