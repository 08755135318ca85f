"""What the simulation has to say to people."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message with its origin: `source` is a program, a file or a component."""

    level: Severity
    source: str
    step: int
    text: str

    def __str__(self) -> str:
        """A line for the terminal, and what follows of the text."""
        return f"step {self.step}: {self.source}: {self.level}: {self.text}"
