"""A path that leads to nothing: which one was meant."""

from pathlib import Path, PurePosixPath

import pytest

from autosim.config.files.near_files import near_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("worlds/harbour.xml", "robots/harbour_car.xml", "elsewhere/secret.xml"):
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).touch()
    (tmp_path / "project" / "elsewhere").rename(tmp_path / "elsewhere")
    (tmp_path / "project" / "linked").symlink_to(tmp_path / "elsewhere")
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("worlds/habour.xml", "; did you mean 'worlds/harbour.xml'?"),
        ("wordls/harbor.xml", "; did you mean 'worlds/harbour.xml'?"),
        ("world/harbour.xml", "; did you mean 'worlds/harbour.xml'?"),
        ("worlds/impreza.xml", ""),
        ("worlds/harbour.xml/more", ""),
        ("linked/secrets.xml", ""),  # it leads out of the root
        ("../elsewhere/secrets.xml", ""),
    ],
)
def test_a_file_that_is_near_is_named(root: Path, typed: str, hint: str):
    assert near_file(PurePosixPath(typed), [root]) == hint


def test_an_absolute_path_is_answered_by_one(root: Path):
    assert near_file(root / "worlds" / "habour.xml", []) == (
        f"; did you mean '{root}/worlds/harbour.xml'?"
    )
