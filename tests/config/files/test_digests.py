"""Digests by which files, and AutoSim's own code, are told apart."""

from pathlib import Path

import pytest

import autosim
from autosim.config.files.digests import code_digest


def test_two_checkouts_of_one_version_have_their_own_digests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = code_digest()
    (tmp_path / "inner").mkdir()
    init, module = tmp_path / "__init__.py", tmp_path / "inner" / "module.py"
    init.write_text("")
    monkeypatch.setattr(autosim, "__file__", str(init))
    found = set()
    for text in ("GRIP = 0.9", "GRIP = 0.8", "GRIP = 0.9"):
        module.write_text(text)
        code_digest.cache_clear()
        found.add(code_digest())
    monkeypatch.undo()
    code_digest.cache_clear()
    assert len(found) == 2
    assert code_digest() == own
