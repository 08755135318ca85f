"""The types of Panda3D that are written by hand name what Panda3D has."""

import ast

import pytest

from tests.client.scripts import ROOT

core = pytest.importorskip("panda3d.core")

STUB = ast.parse((ROOT / "typings" / "panda3d" / "core.pyi").read_text())
CLASSES = [each for each in STUB.body if isinstance(each, ast.ClassDef)]


def members(of: ast.ClassDef) -> set[str]:
    functions = {each.name for each in of.body if isinstance(each, ast.FunctionDef)}
    constants = {each.target.id for each in of.body if isinstance(each, ast.AnnAssign)}
    return functions | constants


@pytest.mark.parametrize("typed", CLASSES, ids=lambda each: each.name)
def test_all_that_is_typed_is_there(typed):
    found = getattr(core, typed.name)
    assert isinstance(found, type)
    assert members(typed) - {"__buffer__", "__bytes__", "__iter__"} <= set(dir(found))
    for base in typed.bases:
        assert issubclass(found, getattr(core, base.id))


def test_functions_that_are_typed_are_there():
    functions = [each.name for each in STUB.body if isinstance(each, ast.FunctionDef)]
    assert functions
    assert set(functions) <= set(dir(core))
