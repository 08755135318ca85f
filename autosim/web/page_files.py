"""The files of the page, as they were built: read once, and sent as they are."""

import hashlib
import mimetypes
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from autosim.errors import UserError

NOT_BUILT = (
    "the page for browsers is not in this checkout: run sh scripts/build_page.sh, which makes it "
    "(the wheel has it)"
)

_FIRST = "index.html"
"""Name of the file that the address of the gateway alone stands for."""

RECORDING = "recording.html"
"""Name of the page of one-file recordings, to which an export adds the data: not served."""

_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
"""Encodings by which files may lie there compressed, the smallest first, and their suffixes."""

_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
"""Types that the system's table may lack or have wrong."""

FOREVER = "public, max-age=31536000, immutable"
"""Caching of files whose name changes with their content."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file: its type, how long it may be cached, its digest, its bytes by encoding ("" none).

    Attributes:
        content_type: value of the header Content-Type.
        caching: value of the header Cache-Control.
        bodies: content by encoding, "" for the plain one.
    """

    content_type: str
    caching: str
    digest: str
    bodies: dict[str, bytes]

    def body(self, accepted: str) -> tuple[str, bytes]:
        """The encoding and the bytes for a client that accepts these encodings."""
        names = {each.split(";")[0].strip() for each in accepted.split(",")}
        for encoding, _ in _ENCODINGS:
            if encoding in names and encoding in self.bodies:
                return encoding, self.bodies[encoding]
        return "", self.bodies[""]


def page_folder() -> Path:
    """The folder of the built page; it may lack."""
    return Path(str(files("autosim.web"))) / "page"


def has_page() -> bool:
    """Whether the page was built."""
    return (page_folder() / _FIRST).is_file()


def recording_page(folder: Path) -> str:
    """The page of one-file recordings, without data.

    Raises:
        UserError: it was not built; the message says how it is.
    """
    file = folder / RECORDING
    if not file.is_file():
        raise UserError(NOT_BUILT)
    return file.read_text(encoding="utf-8")


def read_page(folder: Path) -> dict[str, PageFile]:
    """All files of a page by their path on the server; "/" is its first one.

    Raises:
        UserError: it was not built; the message says how it is.
    """
    if not (folder / _FIRST).is_file():
        raise UserError(NOT_BUILT)
    found: dict[str, PageFile] = {}
    suffixes = tuple(suffix for _, suffix in _ENCODINGS)
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != RECORDING and not file.name.endswith(suffixes):
            path = "/" + file.relative_to(folder).as_posix()
            found[path] = _read(file, is_hashed=path.startswith("/assets/"))
    found["/"] = found[f"/{_FIRST}"]
    return found


def _read(file: Path, *, is_hashed: bool) -> PageFile:
    bodies = {"": file.read_bytes()}
    for encoding, suffix in _ENCODINGS:
        compressed = file.with_name(file.name + suffix)
        if compressed.is_file():
            bodies[encoding] = compressed.read_bytes()
    kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
    kind = kind or "application/octet-stream"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    digest = hashlib.sha256(bodies[""]).hexdigest()[:32]
    return PageFile(kind, FOREVER if is_hashed else "no-cache", digest, bodies)
