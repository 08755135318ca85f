"""Fuzzes every reader of foreign input, and prints a table of inputs, coverage and findings.

`python -m tests.fuzz --minutes 60 --seed 3 [TARGET ...]`
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.fuzz_targets import TARGETS
from tests.paths import ROOT

_COUNTS = re.compile(r"#(\d+)\s+\S+\s+cov: (\d+) ft: \d+ corp: (\d+)")


@dataclass(frozen=True, slots=True)
class Campaign:
    """Result of fuzzing one target.

    Attributes:
        name: of the target.
        inputs: number of inputs read.
        edges: number of instrumented edges that were reached.
        kept: number of inputs that reached something new.
        findings: type and place of each defect.
        ending: exit code of the process; not 0 if an input stopped it.
    """

    name: str
    inputs: int
    edges: int
    kept: int
    findings: Sequence[str]
    ending: int


def main() -> int:
    """1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("targets", nargs="*", metavar="TARGET", choices=[[], *TARGETS])
    parser.add_argument("--minutes", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz")
    given = parser.parse_args()
    names = given.targets or list(TARGETS)
    seconds = max(1, round(60.0 * given.minutes / len(names)))
    print(f"{'target':16} {'inputs':>9} {'edges':>7} {'kept':>6}  findings")
    found = False
    for name in names:
        done = run(name, given.out / name, seconds, given.seed)
        found = found or bool(done.findings) or done.ending != 0
        print(f"{name:16} {done.inputs:9} {done.edges:7} {done.kept:6}  {len(done.findings)}")
        for each in done.findings:
            print(f"    {each}")
        if done.ending:
            print(f"    the process ended with {done.ending}: see {given.out / name}")
        sys.stdout.flush()
    return int(found)


def run(name: str, folder: Path, seconds: int, seed: int) -> Campaign:
    """Fuzzes one target in a process of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.guided",
        name,
        str(folder),
        str(seconds),
        str(seed),
    ]
    with (folder / "log.txt").open("w") as log:
        ending = subprocess.run(command, stdout=log, stderr=log, cwd=ROOT).returncode
    text = (folder / "log.txt").read_text(errors="replace")
    counts = [tuple(map(int, each)) for each in _COUNTS.findall(text)] or [(0, 0, 0)]
    inputs, edges, kept = counts[-1]
    findings = re.findall(r"^FINDING (.*)$", text, re.MULTILINE)
    return Campaign(name, inputs, edges, kept, findings, ending)


if __name__ == "__main__":
    sys.exit(main())
