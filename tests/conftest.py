"""What all tests share."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared(path: str) -> Path:
    """A file of the material beside the checkout; the test is skipped where it is not there."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"{path} is not beside the checkout")
    return found
