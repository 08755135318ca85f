"""The documentation as a site: `make docs` builds it with Sphinx into `site/`."""

from autosim.version import __version__

project = "AutoSim"
author = "the AutoSim developers"
project_copyright = "the AutoSim developers, Apache License 2.0"
release = __version__
extensions = [
    "myst_parser",
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
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
copybutton_prompt_text = "$ "
