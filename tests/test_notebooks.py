"""The notebooks of examples/: they run, and are kept without outputs."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.paths import ROOT
from tests.web.built_page import BUILD, built_page

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"), key=lambda each: each.name)
"""All notebooks."""

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
JUPYTER_LAB = shutil.which("jupyter-lab") or ""

LARGEST = 300_000
"""Size [bytes] of a notebook without outputs."""


def run(path: Path, folder: Path) -> nbformat.NotebookNode:
    """A notebook with its outputs, run in a folder without worlds."""
    built_page()
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, timeout=600, resources=resources).execute()


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[str]:
    """The address, with its token, of JupyterLab in a folder of notebooks."""
    kernel = folder / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    words = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(words))
    paths = {"JUPYTER_PATH": str(folder / "jupyter"), "JUPYTER_RUNTIME_DIR": str(folder / "runs")}
    log = folder / "lab.log"
    with log.open("w") as output:
        lab = subprocess.Popen(
            (JUPYTER_LAB, "--allow-root", "--no-browser", "--ip", "127.0.0.1", "--port", "0"),
            cwd=folder,
            env={**os.environ, **paths},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        address = None
        while address is None and lab.poll() is None:
            address = re.search(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", log.read_text())
            time.sleep(0.2)
        assert address is not None, log.read_text()
        yield address[0]
    finally:
        lab.terminate()
        lab.wait(60)


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


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not JUPYTER_LAB or not CHROMIUM, reason="JupyterLab or Chromium is missing")
def test_jupyterlab_shows_the_picture_of_a_run(tmp_path: Path) -> None:
    built_page()
    path = ROOT / "examples" / "first_drive.ipynb"
    shutil.copy(path, tmp_path)
    cells = len(nbformat.read(path, as_version=4).cells)
    with jupyter_lab(tmp_path) as address:
        variables = {
            "AUTOSIM_NOTEBOOK": address.replace("/lab?", f"/lab/tree/{path.name}?"),
            "AUTOSIM_CELLS": str(cells),
            "AUTOSIM_CHROMIUM": CHROMIUM,
            "NO_COLOR": "1",
        }
        done = subprocess.run(
            (*BUILD, "run", "end-to-end", "notebook"),
            cwd=ROOT,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout + done.stderr
