"""The page of all devices."""

import pytest

from autosim.kinds.registry import BUILT_IN
from autosim.loading.device_reference import DOCS, markdown
from autosim.loading.loader import load_robot
from tests.paths import ROOT

LARGEST = 40_000
"""Bytes of a picture, so that the page loads at once."""


def test_the_page_of_all_devices_is_up_to_date() -> None:
    assert (DOCS / "devices.md").read_text(encoding="utf-8") == markdown(), (
        "renew it: python -m autosim.loading.device_reference > docs/devices.md"
    )


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_each_device_has_its_section_with_parameters_and_values(kind) -> None:
    sections = {each.partition("\n")[0]: each for each in markdown().split("\n## ")}
    own = sections[kind.name]
    for field in kind.fields_of(kind.record("device", "")):
        assert f"`{field.name}`" in own
    for child in kind.element.children:
        has_own_table = f"### `<{child.name}>`" in own
        assert f"`{child.name}`" in own or has_own_table or "(configuration.md#noise)" in own


def test_pictures_are_small_and_there_is_one_of_each_device_that_a_shipped_robot_has() -> None:
    pictures = {path.stem: path.stat().st_size for path in (DOCS / "devices").glob("*.svg")}
    names = ("sensor_car", "arm_rover", "boat", "ins_car")
    robots = [load_robot(ROOT / "robots" / f"{name}.xml") for name in names]
    kinds = {type(device).__name__ for robot in robots for device in robot.devices}
    # Cameras have pictures.
    assert kinds - pictures.keys() <= {"Camera"}
    assert max(pictures.values()) < LARGEST
