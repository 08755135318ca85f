"""Notices: messages of the simulation for its users."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message with its origin: `source` is a program, a file or a component.

    `is_output`: a line that a user program has printed, which the terminal of the server shows
    already.

    Attributes:
        level: severity, which decides on colour and filters.
        step: step count of the simulation when it was reported.
        text: one or several lines, for people.
    """

    level: Severity
    source: str
    step: int
    text: str
    is_output: bool = False

    def __str__(self) -> str:
        """A line for the terminal, and what follows of the text."""
        return f"step {self.step}: {self.source}: {self.level}: {self.text}"
