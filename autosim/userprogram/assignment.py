"""What a program's process is told when it starts."""

import json
from dataclasses import asdict, dataclass

DEFAULT_MEMORY_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Assignment:
    """One program to run.

    program: path of its file; robot: name of its robot; arguments: what follows the robot's name
    in `argv`; tree: of `tree_to_bytes`, as text; step_seconds: of the simulation; world_file: path
    of the compiled world, "" where there is none; memory_bytes: limit of its address space;
    image_size: (width, height) of pictures in pixels, None on a server; is_sandboxed: whether it is
    locked up.
    """

    program: str
    robot: str
    arguments: tuple[str, ...]
    tree: str
    step_seconds: float
    world_file: str = ""
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    image_size: tuple[int, int] | None = None
    is_sandboxed: bool = False

    def to_bytes(self) -> bytes:
        """The assignment as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Assignment":
        """The assignment that `to_bytes` wrote."""
        values = json.loads(data)
        values["arguments"] = tuple(values["arguments"])
        values["image_size"] = values["image_size"] and tuple(values["image_size"])
        return cls(**values)
