"""Writes the messages of AlpaSim's services, `autosim/alpasim/wire/`, from `proto/alpasim_grpc/`.

`make proto` runs it. The generated modules import one another within AutoSim, so that they stand
next to AlpaSim's own package without a conflict.
"""

import re
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "proto" / "alpasim_grpc" / "v0"
TARGET = ROOT / "autosim" / "alpasim" / "wire"


def main() -> None:
    """Generates the modules again."""
    names = [f"alpasim_grpc/v0/{each.name}" for each in sorted(SOURCES.glob("*.proto"))]
    with tempfile.TemporaryDirectory() as folder:
        words = ["", f"-I{ROOT / 'proto'}", f"--python_out={folder}", f"--pyi_out={folder}", *names]
        if protoc.main(words):
            sys.exit("protoc failed")
        for file in sorted(Path(folder).glob("alpasim_grpc/v0/*.py*")):
            text = file.read_text("utf-8")
            text = re.sub(r"from alpasim_grpc\.v0 import", "from autosim.alpasim.wire import", text)
            (TARGET / file.name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
