"""The order that a program's process gets when it starts."""

import json
from dataclasses import asdict, dataclass

DEFAULT_MEMORY_BYTES = 4 << 30
"""Address space [bytes] of a program whose world file sets no limit: enough for large arrays, and
an end to one that eats memory."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One program to run.

    program: path of its file; robot: name of its robot; arguments: what follows the robot's name
    in `argv`; tree: of `tree_to_bytes`; step_seconds: of the simulation; world_file: path
    of the compiled world, "" where there is none; memory_bytes: limit of its address space;
    image_size: (width, height) of pictures in pixels, None on a server; is_sandboxed: whether it is
    run in a sandbox.
    """

    program: str
    robot: str
    arguments: tuple[str, ...]
    tree: bytes
    step_seconds: float
    world_file: str = ""
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    image_size: tuple[int, int] | None = None
    is_sandboxed: bool = False

    def to_bytes(self) -> bytes:
        """The assignment: a line of JSON, then the tree."""
        values = {**asdict(self), "tree": None}
        return json.dumps(values).encode() + b"\n" + self.tree

    @classmethod
    def from_bytes(cls, data: bytes) -> "Assignment":
        """The assignment that `to_bytes` wrote."""
        line, _, tree = data.partition(b"\n")
        values = json.loads(line)
        values["tree"] = tree
        values["arguments"] = tuple(values["arguments"])
        values["image_size"] = values["image_size"] and tuple(values["image_size"])
        return cls(**values)
