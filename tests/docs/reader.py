"""A reader of a tutorial: saves what it says to save, types what it says to type, in its order."""

import os
import re
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.commands import AUTOSIM, finish, server
from tests.worlds import ROOT

_BLOCK = re.compile(r"```(sh|python|xml)\n(.*?)```", re.DOTALL)
_NAMED = re.compile(r"[Ss]ave\s+this\s+as\s+`([^`]+)`")
_ROOTS = ("<Robot", "<World", "<launch>", "<scene>", "<Study")
_FILE_SUFFIXES = {"python": ".py", "xml": ".xml"}


@dataclass
class Reader:
    """One reader in one folder; `outputs` are what each command line printed, by the line."""

    folder: Path
    outputs: dict[str, list[str]] = field(default_factory=dict)

    def read(self, page: str) -> None:
        """Does all that a page of docs/ says; a command that does not end as it says fails."""
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        self._environment = os.environ | {"PYTHONPATH": str(ROOT)}
        with ExitStack() as self._servers:
            for block in _BLOCK.finditer(text):
                kind, content = block.groups()
                if kind == "sh":
                    for line in content.splitlines():
                        self._type(line)
                else:
                    self._save(text[: block.start()], kind, content)

    def _save(self, before: str, kind: str, content: str) -> None:
        if kind == "xml" and not content.startswith(_ROOTS):
            return  # a piece of a file, shown and not saved
        suffix = _FILE_SUFFIXES[kind]
        root = re.match(r"<\w+", content)
        names = [name for name in _NAMED.findall(before) if name.endswith(suffix)]
        if kind == "xml":
            names = [name for name in names if self._holds(name, root and root[0])]
        (self.folder / names[-1]).write_text(content, encoding="utf-8")

    def _holds(self, name: str, root: str | None) -> bool:
        """Whether the file of that name is new, or has the same root element."""
        file = self.folder / name
        return not file.exists() or file.read_text().startswith(root or "")

    def _type(self, line: str) -> None:
        typed, _, remark = line.partition("  #")
        words = shlex.split(typed)
        if words[0] == "cd":
            self.folder /= words[1]
        elif words[:2] == ["autosim", "server"]:
            environment = self._servers.enter_context(server(words, self.folder))
            self._environment = environment
        else:
            self._run(typed.strip(), words, remark.strip())

    def _run(self, typed: str, words: list[str], remark: str) -> None:
        if words[0] == "python":
            words[0] = sys.executable
        if "autosim" in words:
            at = words.index("autosim")
            words[at : at + 1] = AUTOSIM
            if words[at + 3] == "client":
                words += ["--server", self._environment["AUTOSIM_SERVER"]]
        code, out, errors = finish(words, self.folder, self._environment)
        said = out + errors
        expected = 1 if remark.startswith("fails") else 124 if words[0] == "timeout" else 0
        assert code == expected, f"{typed}\n{said}"
        if remark.startswith("fails: "):
            assert remark.removeprefix("fails: ") in said, f"{typed}\n{said}"
        self.outputs.setdefault(typed, []).append(said)
