"""The public names of `autosim`, which programs of users import."""

import subprocess
import sys

import pytest

import autosim

NAMES = [name for name in autosim.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_listed(name):
    assert getattr(autosim, name).__name__ == name
    assert name in dir(autosim)


def test_a_wrong_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Simulaton'"):
        _ = autosim.Simulaton


def test_importing_autosim_imports_none_of_its_packages():
    code = "import sys, autosim; print([m for m in sys.modules if m.startswith('autosim.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "['autosim.version']"


def test_the_list_for_type_checkers_is_the_list_of_modules():
    with open(autosim.__file__, encoding="utf-8") as file:
        text = file.read()
    block = text.split("if TYPE_CHECKING:")[1].split("_MODULES")[0]
    listed = {}
    for line in block.strip().splitlines():
        module, names = line.strip().removeprefix("from ").split(" import ")
        listed |= {name.strip(): module for name in names.split(",")}
    assert sorted(listed) == sorted(NAMES)
    for name, module in listed.items():
        assert getattr(autosim, name).__module__ == module


def test_the_search_for_garbage_is_as_before_when_a_name_has_been_imported():
    code = "import gc, autosim; autosim.State; print(gc.isenabled())"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "True\n"
