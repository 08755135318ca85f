"""Notices of a run, bounded in memory: the newest, and errors longer than the rest."""

import heapq
from collections import deque
from dataclasses import dataclass, replace

from autosim.engine.peer_limits import LIMITS, cut
from autosim.model.notices import Notice


@dataclass(frozen=True, slots=True)
class NumberedNotice:
    """A notice, with the number of notices before it."""

    number: int
    notice: Notice


class _Newest:
    """The newest notices, as many as their number and their length allow."""

    def __init__(self, notices: int, characters: int) -> None:
        self._most_notices, self._most_characters = notices, characters
        self._characters = 0
        self.kept: deque[NumberedNotice] = deque()

    def add(self, added: NumberedNotice) -> None:
        self.kept.append(added)
        self._characters += len(added.notice.text)
        while len(self.kept) > self._most_notices or self._characters > self._most_characters:
            self._drop_oldest()

    def drop_before(self, number: int) -> None:
        while self.kept and self.kept[0].number < number:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._characters -= len(self.kept.popleft().notice.text)


class NoticeLog:
    """The notices of a run, in bounded memory.

    `said` counts all of them. Half of the capacity is for errors, so that no flood of other
    messages displaces them. Output of programs has its own capacity for the same reason.
    """

    def __init__(self) -> None:
        self.said = 0
        self._dropped = 0
        self._errors = _Newest(LIMITS.notices // 2, LIMITS.notices_characters // 2)
        self._others = _Newest(LIMITS.notices // 2, LIMITS.notices_characters // 2)
        self._printed = _Newest(LIMITS.notices // 2, LIMITS.notices_characters // 2)

    def __len__(self) -> int:
        """Number of notices kept."""
        return sum(len(each.kept) for each in (self._errors, self._others, self._printed))

    @property
    def dropped(self) -> int:
        """Number of notices for which there was no room; those of a former world do not count."""
        return self._dropped

    def add(self, notice: Notice) -> Notice:
        """Keeps a notice; returns it with a text of bounded length."""
        notice = replace(notice, text=cut(notice.text, LIMITS.notice_characters))
        kept = self._errors if notice.level == "error" else self._others
        kept = self._printed if notice.is_output else kept
        before = len(kept.kept)
        kept.add(NumberedNotice(self.said, notice))
        self._dropped += before + 1 - len(kept.kept)
        self.said += 1
        return notice

    def drop_before(self, number: int) -> None:
        """Drops the notices before that number, as those of a world that has been replaced."""
        for each in (self._errors, self._others, self._printed):
            each.drop_before(number)

    def since(self, number: int, *, characters: int) -> list[NumberedNotice]:
        """The kept notices from that number on, oldest first.

        Args:
            number: of the first one wanted.
            characters: of texts at most; the first notice is there however long it is.
        """
        found: list[NumberedNotice] = []
        kept = (self._errors.kept, self._others.kept, self._printed.kept)
        merged = heapq.merge(*kept, key=lambda each: each.number)
        for each in merged:
            if each.number < number:
                continue
            characters -= len(each.notice.text)
            if found and characters < 0:
                break
            found.append(each)
        return found
