"""Programs are files of the folders `userprograms`: nothing else below a root is ever run."""

import os
from pathlib import Path

import pytest

from autosim.config.files.lookup import PathError, existing_folders
from autosim.config.files.program_files import find_program, program_name, program_names
from tests.config.samples import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a program, and much else that Python could run."""
    project = (tmp_path / "project").resolve()
    write(project, "", "userprograms/driver.py")
    write(project, "", "userprograms/taxis/fast.py")
    write(project, "", "userprograms/notes.txt")
    write(project, "", "userprograms/.hidden/x.py")
    write(project, "", "userprograms/env/pyvenv.cfg")
    write(project, "", "userprograms/env/lib/site.py")
    write(project, "", ".venv/lib/python3.11/site-packages/evil.py")
    write(project, "", "setup.py")
    write(tmp_path, "", "outside.py")
    links = project / "userprograms"
    (links / "out.py").symlink_to(tmp_path / "outside.py")
    (links / "venv.py").symlink_to(project / ".venv/lib/python3.11/site-packages/evil.py")
    (links / "same.py").symlink_to("driver.py")
    return project


@pytest.mark.parametrize("name", ["driver.py", "userprograms/driver.py", "same.py"])
def test_a_program_is_named_with_its_folder_or_without(root: Path, name: str) -> None:
    assert find_program(name, (root,)) == root / "userprograms" / "driver.py"
    assert find_program("taxis/fast.py", (root,)).name == "fast.py"
    assert program_name("driver.py") == program_name("userprograms/driver.py")


@pytest.mark.parametrize(
    "name",
    [
        *(".venv/lib/python3.11/site-packages/evil.py", "setup.py", "project/setup.py"),
        *("/etc/passwd", "../outside.py", "userprograms/../setup.py", "~/x.py", "a\0.py", ""),
        *("out.py", "venv.py", ".hidden/x.py", "env/lib/site.py", "notes.txt", "taxis", "\\x.py"),
        *("file:///x.py", "userprograms", "userprograms/userprograms/driver.py"),
    ],
)
def test_what_is_no_program_of_a_program_folder_is_not_run(root: Path, name: str) -> None:
    with pytest.raises(PathError):
        find_program(name, existing_folders([root]))


def test_an_absolute_path_is_refused_also_where_it_leads_to_a_program(root: Path) -> None:
    with pytest.raises(PathError, match="is absolute"):
        find_program(str(root / "userprograms" / "driver.py"), (root,))


def test_a_program_folder_that_leads_out_of_its_root_is_none(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    os.symlink(root / "userprograms", other / "userprograms")
    with pytest.raises(PathError, match="no folder userprograms at all"):
        find_program("driver.py", existing_folders([other]))


def test_who_kept_a_program_beside_the_world_is_told_where_it_belongs(root: Path) -> None:
    with pytest.raises(PathError, match=r"setup\.py' is not run from there; put it into '.*progr"):
        find_program("setup.py", (root,))


def test_the_programs_are_listed(root: Path) -> None:
    assert "userprograms/driver.py" in program_names((root,))
