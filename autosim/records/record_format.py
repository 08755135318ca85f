"""Metadata of records, and the names of its entries."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autosim.errors import UserError

FORMAT = "2"
"""Version of the contents; readers refuse later ones."""

PROFILE = "autosim"
SENSORS_SUFFIX = ".sensors.mcap"
"""Suffix of the file with pictures and clouds, in place of the record's `.mcap`."""

STATES = "/state"
"""The topic of the states."""

TREE = "tree.pb"
"""The attachment with the layout of the states."""

FILES = "files/"
"""Attachments of this beginning are the files of the world."""

ABOUT, RESULT = "autosim", "autosim.result"
"""The metadata at the beginning, and at the end of a record whose writer came to the end."""

MIN_STEP_SECONDS, MAX_STEP_SECONDS = 1e-6, 10.0
"""Bounds [s] of the length of a step in a record: far beyond those of any world file."""

LOST = "autosim.lost"
"""Metadata that names a `file` of the record that was damaged and left out on recovering it."""


class RecordError(UserError):
    """A record cannot be written, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """Start of a continued run: after `step` steps of `record`, or its last one.

    `has_fresh_programs`: programs restart there, even if they could be resumed.
    """

    record: Path
    step: int | None = None
    has_fresh_programs: bool = False


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file of the world: its name in the world's files, its SHA-256 (hex), its content.

    The content is None where it is not part of the record. That of a user program
    (`is_program`) never is: records hold no code.
    """

    name: str
    digest: str
    """SHA-256 (hex) of the content."""
    content: bytes | None
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class RecordedPicture:
    """A picture that a program has got, of the state after `step` steps.

    `data`: the bytes of its rows, from the top, as `PICTURES` has them of that `kind`.
    """

    camera: str
    """Name of the camera, robot.part.camera."""
    kind: str
    step: int
    width: int
    """Width [pixels]."""
    height: int
    """Height [pixels]."""
    data: bytes


@dataclass(frozen=True, slots=True)
class RunMetadata:
    """The run that a record is of.

    `world_file` is the name of the world's own file among those recorded; `seed` that of all noise;
    `step_seconds` [s]; `layout_digest` of the tree, `world_digest` of the compiled map.
    `first_step`: where the states begin. `has_log`: the commands of all steps since step 0 are
    there, so that the run can be simulated again. `files`: name and SHA-256 (hex) of each file of
    the world; `programs`: the same of its user programs, which are not part of the record.
    """

    version: str
    """Version of AutoSim."""
    world: str
    world_file: str
    seed: int
    step_seconds: float
    layout_digest: str
    world_digest: str
    first_step: int
    has_log: bool
    files: tuple[tuple[str, str], ...]
    format: str = FORMAT
    """Version of the format of records."""
    programs: tuple[tuple[str, str], ...] = ()

    def as_texts(self) -> dict[str, str]:
        """As metadata: texts in JSON."""
        return {key: json.dumps(value) for key, value in dataclasses.asdict(self).items()}

    @classmethod
    def from_texts(cls, texts: dict[str, str]) -> "RunMetadata":
        """The content of metadata.

        Raises:
            RecordError: it is of a later version, or does not say everything.
        """
        try:
            values: dict[str, Any] = {key: json.loads(text) for key, text in texts.items()}
            if values.get("format") != FORMAT:
                raise RecordError(
                    f"the record has the format {values.get('format')}; this version reads {FORMAT}"
                )
            for key in ("files", "programs"):
                values[key] = tuple((str(a), str(b)) for a, b in values.get(key, ()))
            about = cls(**values)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise RecordError(f"the record does not say what it is of: {error!r}") from error
        if fault := about._fault():
            raise RecordError(f"the record does not say what it is of: {fault}")
        return about

    def _fault(self) -> str:
        """The fault in values from a file; "" if there is none."""
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if each.type in (str, int, float, bool) and type(value) is not each.type:
                return f"'{each.name}' is not of the type {each.type.__name__}"
        if not MIN_STEP_SECONDS <= self.step_seconds <= MAX_STEP_SECONDS:
            return f"its steps last {self.step_seconds:g} s"
        return ""
