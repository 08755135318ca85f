"""The notebooks of examples/: they run, and are kept without outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.paths import ROOT
from tests.web.built_page import built_page

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"), key=lambda each: each.name)
"""All notebooks."""

LARGEST = 300_000
"""Size [bytes] of a notebook without outputs."""


def run(path: Path, folder: Path) -> nbformat.NotebookNode:
    """A notebook with its outputs, run in a folder without worlds."""
    built_page()
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, timeout=600, resources=resources).execute()


def test_there_are_four_notebooks() -> None:
    names = [each.stem for each in NOTEBOOKS]
    assert names == ["analyse_a_sweep", "first_drive", "learn_to_drive", "sensors_and_noise"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda each: each.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [each for each in notebook.cells if each.cell_type == "code"]
    assert not any(each.outputs or each.execution_count for each in cells)
    assert path.stat().st_size < LARGEST


@pytest.mark.slow
def test_the_first_notebook_shows_its_run(tmp_path: Path) -> None:
    done = run(ROOT / "examples" / "first_drive.ipynb", tmp_path)
    outputs = [each for cell in done.cells for each in cell.get("outputs", ())]
    texts = [each.data["text/html"] for each in outputs if "text/html" in each.get("data", {})]
    assert sum(each.startswith("<iframe") for each in texts) == 2


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda each: each.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    done = run(path, tmp_path)
    cells = [each for each in done.cells if each.cell_type == "code"]
    assert all(each.execution_count for each in cells)
