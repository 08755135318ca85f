"""The documentation as a site: `make docs` builds it with Sphinx into `site/`."""

import shutil
from pathlib import Path

from sphinx.application import Sphinx

from autosim.version import __version__

project = "AutoSim"
author = "the AutoSim developers"
project_copyright = "the AutoSim developers, Apache License 2.0"
release = __version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
]
exclude_patterns: list[str] = []
html_theme = "furo"
html_title = "AutoSim"
html_theme_options = {"footer_icons": []}
# Pages link to headings of each other, as they do on the pages of a repository.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
# The notebooks of examples/ are run once for each of their versions; the pages have their outputs.
nb_execution_mode = "cache"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
copybutton_prompt_text = "$ "

NOTEBOOKS = Path(__file__).parent / "notebooks"
"""Folder of the notebooks while the site is built."""


def copy_notebooks(app: Sphinx) -> None:
    """Copies the notebooks of examples/ to where Sphinx reads pages."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for notebook in (NOTEBOOKS.parents[1] / "examples").glob("*.ipynb"):
        shutil.copy(notebook, NOTEBOOKS)


def remove_notebooks(app: Sphinx, exception: Exception | None) -> None:
    """Removes the copies."""
    shutil.rmtree(NOTEBOOKS, ignore_errors=True)


def setup(app: Sphinx) -> None:
    """Connects both with the build."""
    app.connect("builder-inited", copy_notebooks)
    app.connect("build-finished", remove_notebooks)
