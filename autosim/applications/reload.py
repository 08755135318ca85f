"""Notices that a user program's file has changed, for who starts it again."""

from pathlib import Path


class FileWatch:
    """A program's file as it was when it was looked at last.

    An editor may be writing it: a change counts when the file is the same for two looks.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known = self._seen = self._read()

    def look(self) -> bool:
        """Whether the file has changed since the last change that was told."""
        before, self._seen = self._seen, self._read()
        if self._seen is None or self._seen != before or self._seen == self._known:
            return False
        self._known = self._seen
        return True

    def find_fault(self) -> str:
        """What keeps Python from reading the program, with file and line; "" where nothing does."""
        try:
            compile(self._known or b"", str(self._file), "exec", dont_inherit=True)
        except SyntaxError as error:
            return f"{self._file}:{error.lineno or 1}: error: {error.msg}"
        except ValueError as error:  # a zero byte
            return f"{self._file}:1: error: {error}"
        return ""

    def _read(self) -> bytes | None:
        try:
            return self._file.read_bytes()
        except OSError:  # between two versions it may not be there
            return None
