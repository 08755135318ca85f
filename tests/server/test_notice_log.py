"""What of a run's messages is kept for reports."""

from dataclasses import replace

import pytest

from autosim.engine.peer_limits import LIMITS
from autosim.model.notices import Notice, Severity
from autosim.server import notice_log as module
from autosim.server.notice_log import NoticeLog

NO_LIMIT = 10**9


def said(notices: NoticeLog, number: int, level: Severity = "warning", text: str = "x") -> None:
    for step in range(number):
        notices.add(Notice(level, "peer", step, text))


def numbers(notices: NoticeLog, *, since: int = 0, characters: int = NO_LIMIT) -> list[int]:
    return [each.number for each in notices.since(since, characters=characters)]


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch) -> NoticeLog:
    """Room for four messages, or twenty characters, of each kind."""
    monkeypatch.setattr(module, "LIMITS", replace(LIMITS, notices=8, notices_characters=40))
    return NoticeLog()


def test_the_newest_are_kept_under_their_numbers(notices: NoticeLog) -> None:
    said(notices, 10)
    assert numbers(notices) == [6, 7, 8, 9]
    assert (notices.said, notices.dropped) == (10, 6)


def test_an_error_is_kept_however_much_is_said_beside_it(notices: NoticeLog) -> None:
    said(notices, 1, "error")
    said(notices, 100)
    assert numbers(notices) == [0, 97, 98, 99, 100]


def test_errors_without_end_are_bounded(notices: NoticeLog) -> None:
    said(notices, 1)
    said(notices, 100, "error")
    assert numbers(notices) == [0, 97, 98, 99, 100]


def test_long_texts_take_the_room_of_many(notices: NoticeLog) -> None:
    said(notices, 10, text="x" * 10)
    assert numbers(notices) == [8, 9]


def test_a_text_without_end_is_cut_and_that_is_said() -> None:
    notices = NoticeLog()
    notices.add(Notice("error", "peer", 0, "x" * 1_000_000))
    (kept,) = notices.since(0, characters=NO_LIMIT)
    assert len(kept.notice.text) < LIMITS.notice_characters + 100
    assert "980000 more characters" in kept.notice.text


def test_who_wants_all_gets_them_page_by_page(notices: NoticeLog) -> None:
    said(notices, 4, text="12345")
    assert numbers(notices, characters=12) == [0, 1]
    assert numbers(notices, since=2, characters=12) == [2, 3]
    assert numbers(notices, since=3, characters=1) == [3]
    assert numbers(notices, since=4) == []


def test_what_programs_print_pushes_no_message_out(notices: NoticeLog) -> None:
    said(notices, 1)
    for step in range(100):
        notices.add(Notice("info", "r0 (talks.py)", step, "x", is_output=True))
    assert numbers(notices) == [0, 97, 98, 99, 100]


def test_messages_of_a_former_world_are_dropped_and_the_numbers_go_on(notices: NoticeLog) -> None:
    said(notices, 3)
    said(notices, 1, "error")
    notices.drop_before(3)
    assert numbers(notices) == [3]
    said(notices, 4, text="12345")
    assert numbers(notices) == [3, 4, 5, 6, 7]
    assert (notices.said, notices.dropped) == (8, 0)
