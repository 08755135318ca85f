import os
from pathlib import Path

import pytest

from autosim.config.files.lookup import PathError, existing_folders, find_file, locate, search_roots
from tests.config.samples import write
from tests.paths import ROOT


def roots_of(*folders: Path) -> tuple[Path, ...]:
    for folder in folders:
        folder.mkdir(exist_ok=True)
    return existing_folders(folders)


def test_the_roots_are_the_users_folders_the_working_directory_and_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, here = roots_of(tmp_path / "a", tmp_path / "b", tmp_path / "here")
    gone = tmp_path / "gone"
    monkeypatch.setenv("AUTOSIM_PATH", os.pathsep.join([str(first), str(gone), "", str(second)]))
    monkeypatch.chdir(here)
    checkout = ROOT
    assert search_roots()[:4] == (first, second, here, checkout)


def test_a_working_directory_that_was_removed_is_no_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    assert tmp_path / "here" not in search_roots()


def test_the_first_root_that_has_the_file_wins(tmp_path: Path) -> None:
    roots = roots_of(tmp_path / "a", tmp_path / "b")
    write(tmp_path / "b", "b", "robots/x.xml")
    assert find_file("robots/x.xml", roots) == tmp_path / "b" / "robots" / "x.xml"
    write(tmp_path / "a", "a", "robots/x.xml")
    assert find_file("robots/x.xml", roots) == tmp_path / "a" / "robots" / "x.xml"


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "/etc/passwd", "//host/share", "\\\\host\\share", "..\\x", "C:/x", "c:x"),
        *("../x", "a/../../x", "a/..", "file:///etc/passwd", "http://x/y", "a\0b", "a\nb", "~/x"),
    ],
)
def test_a_path_that_may_lead_out_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, "", "x")
    with pytest.raises(PathError):
        find_file(name, roots_of(tmp_path))


def test_a_link_may_not_lead_out_but_to_another_root(tmp_path: Path) -> None:
    inside, other = roots_of(tmp_path / "inside", tmp_path / "other")
    target = write(other, "", "x.xml")
    (inside / "link.xml").symlink_to(target)
    (inside / "folder").symlink_to(other, target_is_directory=True)
    for name in ("link.xml", "folder/x.xml"):
        assert find_file(name, (inside, other)) == target
        with pytest.raises(PathError, match="leads out of its root"):
            find_file(name, (inside,))


def test_a_missing_file_names_the_places(tmp_path: Path) -> None:
    with pytest.raises(PathError, match=f"found no 'x.xml' in: {tmp_path}"):
        find_file("x.xml", roots_of(tmp_path))


def test_a_given_path_may_be_anywhere_and_its_folder_becomes_a_root(tmp_path: Path) -> None:
    root, elsewhere = roots_of(tmp_path / "root", tmp_path / "elsewhere")
    given = write(elsewhere, "", "x.xml")
    assert locate(given, (root,)) == (given, (elsewhere, root))


def test_a_given_name_is_looked_up(tmp_path: Path) -> None:
    (root,) = roots_of(tmp_path / "root")
    found = write(root, "", "worlds/x.xml")
    assert locate("worlds/x.xml", (root,)) == (found, (root / "worlds", root))


def test_a_given_path_to_nothing_is_handed_back(tmp_path: Path) -> None:
    assert locate(tmp_path / "gone.xml", ()) == (tmp_path / "gone.xml", ())
