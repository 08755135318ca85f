"""Pieces of printed output become lines."""

from autosim.records.events import NoticeLogged, OutputPrinted
from autosim.records.output_lines import with_whole_lines


def test_pieces_of_one_print_are_one_line_and_programs_do_not_mix():
    notice = NoticeLogged(2, "info", "server", "was added")
    pieces = [
        OutputPrinted(1, "hello", "a"),
        OutputPrinted(1, "other", "b"),
        notice,
        OutputPrinted(3, " world\nnext", "a"),
        OutputPrinted(4, "\n", "b"),
    ]
    assert list(with_whole_lines(pieces)) == [
        notice,
        OutputPrinted(3, "hello world", "a"),
        OutputPrinted(4, "other", "b"),
        OutputPrinted(3, "next", "a"),
    ]
