"""Arguments on one line, and apart again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.config.arguments import join_arguments, split_arguments


@given(st.lists(st.text()))
def test_any_arguments_come_back(arguments):
    assert split_arguments(join_arguments(arguments)) == tuple(arguments)


@pytest.mark.parametrize(
    "line",
    ["", "second third", " fast  12 ", r"C:\maps\town.osm", "it's here", "--rate=3 #4 a&b"],
)
def test_without_pairs_of_quotes_spaces_alone_divide(line):
    assert split_arguments(line) == tuple(line.split())


def test_quotes_hold_together():
    assert split_arguments("""one "two  three" 'four "five"' """) == (
        "one",
        "two  three",
        'four "five"',
    )
