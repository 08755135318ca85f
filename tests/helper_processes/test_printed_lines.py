"""What a program prints, as lines for messages."""

from autosim.helper_processes.printed_lines import PrintedLines

LINES, CHARACTERS = 100, 20_000


def test_lines_come_when_they_are_complete() -> None:
    lines = PrintedLines(LINES, CHARACTERS, clock=lambda: 0.0)
    assert lines.take(b"speed 3") == []
    assert lines.take(b".5\nnext") == ["speed 3.5"]
    assert lines.take(b"") == ["next"]


def test_a_character_in_two_parts_is_one() -> None:
    lines = PrintedLines(LINES, CHARACTERS, clock=lambda: 0.0)
    first, second = "ü".encode()
    assert lines.take(bytes([first])) == []
    assert lines.take(bytes([second]) + b"\n") == ["ü"]


def test_blank_lines_are_left_out_and_a_bar_counts_as_lines() -> None:
    lines = PrintedLines(LINES, CHARACTERS, clock=lambda: 0.0)
    assert lines.take(b"\n\r\n 10 %\r 20 %\r\n\n") == [" 10 %", " 20 %"]


def test_a_flood_is_cut_once_and_said() -> None:
    now = [0.0]
    lines = PrintedLines(LINES, CHARACTERS, clock=lambda: now[0])
    first = lines.take(b"x\n" * (LINES + 5))
    assert first[:-1] == ["x"] * LINES
    assert f"more than {LINES} lines" in first[-1]
    assert lines.take(b"x\n" * 1000) == []
    now[0] = 1.0
    assert lines.take(b"y\n") == ["y"]


def test_a_line_without_end_is_bounded() -> None:
    lines = PrintedLines(LINES, CHARACTERS, clock=lambda: 0.0)
    assert len(lines.take(b"x" * (CHARACTERS + 1))) == 1
    assert lines.take(b"") == []
