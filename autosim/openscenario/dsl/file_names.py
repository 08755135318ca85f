"""Names of files of OpenSCENARIO DSL."""

from pathlib import Path

_SUFFIX = ".osc"
"""End of the names of files of OpenSCENARIO DSL."""


def is_dsl(path: Path) -> bool:
    """Whether a file is one of OpenSCENARIO DSL, by its name."""
    return path.name.lower().endswith(_SUFFIX)
