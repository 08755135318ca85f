"""Digests by which files, and AutoSim's own code, are told apart."""

from pathlib import Path

from autosim.config.files.digests import code_digest


def test_two_checkouts_of_one_version_have_their_own_digests(tmp_path: Path) -> None:
    found = []
    for number, text in enumerate(("GRIP = 0.9", "GRIP = 0.8", "GRIP = 0.9")):
        package = tmp_path / str(number)
        (package / "inner").mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "inner" / "module.py").write_text(text)
        found.append(code_digest(package))
    assert found[0] == found[2] != found[1]
    assert code_digest() == code_digest() not in found
