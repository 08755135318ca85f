"""Limits on measures of the code, which may only fall.

`python scripts/measure_code.py` prints the measures, and with the name of a rule all places that
break it. A change that lowers a measure lowers its limit here.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "measure_code.py"

MOST_USES_OF_ANY = 111
MOST_PRIVATE_USES_IN_TESTS = 38
MOST_DOUBLED_CLASS_NAMES = 0
MOST_LINES_OF_A_FUNCTION = 60

MOST_FUNCTIONS_OF_MANY_PARAMETERS = 0
"""Number of functions with more than eight parameters that are neither kernels nor commands."""

MOST_UNDOCUMENTED_FIELDS = 0
"""Number of fields of public records without a description."""

MOST_BROKEN_RULES = 0
"""Number of passages with an idiom that a native speaker would not write."""


@pytest.fixture(scope="module")
def measures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_code", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_types_privacy_names_and_lengths_do_not_get_worse(measures: ModuleType) -> None:
    assert measures.uses_of_any() <= MOST_USES_OF_ANY
    assert measures.private_uses_in_tests() <= MOST_PRIVATE_USES_IN_TESTS
    assert len(measures.doubled_class_names()) <= MOST_DOUBLED_CLASS_NAMES
    assert measures.longest_function()[0] <= MOST_LINES_OF_A_FUNCTION
    many = measures.functions_of_many_parameters()
    assert len(many) <= MOST_FUNCTIONS_OF_MANY_PARAMETERS, many


def test_more_fields_of_records_are_documented(measures: ModuleType) -> None:
    assert len([*measures.undocumented_fields()]) <= MOST_UNDOCUMENTED_FIELDS


def test_the_wording_does_not_get_worse(measures: ModuleType) -> None:
    assert measures.wording().total() <= MOST_BROKEN_RULES


def test_the_documents_keep_to_the_rules_of_wording(measures: ModuleType) -> None:
    assert not measures.document_wording()


def test_rules_find_idioms_in_documents(measures: ModuleType) -> None:
    text = """# Heading

Nobody reads this,
and it goes
on. `Whoever` is code.

- An item
- begins anew

```sh
begin anew
```
"""
    found = [(name, passage.line) for name, passage in measures.broken_document_rules(text)]
    assert sorted(found) == [("anew", 8), ("goes-on", 3), ("some-body", 3)]


def test_rules_find_idioms_and_leave_good_english_alone(measures: ModuleType) -> None:
    source = '''
"""What a wheel does anew; `anew` in code is left alone."""

LEAST = 1.0
"""Those that nobody reads."""

def spin(speed):
    """Spins the wheel again."""
    raise ValueError("the wheel is no square")  # goes on and on
'''
    found = [(name, passage.kind) for name, passage in measures.broken_rules(source)]
    assert sorted(found) == [
        ("anew", "docstring"),
        ("goes-on", "comment"),
        ("is-no", "text"),
        ("some-body", "attribute docstring"),
        ("who-first", "attribute docstring"),
        ("who-first", "docstring"),
    ]
