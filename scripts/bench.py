"""Runs the benchmarks and keeps what they print, with the machine that they ran on.

    make bench
    python scripts/bench.py [NAME …] [--out out/bench]

Each benchmark's output goes to OUT/NAME.txt, and OUT/summary.md says which documents quote its
figures. A benchmark that fails is named at the end, and the others run all the same.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAPS = ROOT.parent / "shared" / "osm" / "pbf"

ARGUMENTS = {"hour_of_traffic": [str(each) for each in sorted(MAPS.glob("*.pbf"))]}
"""Arguments of benchmarks that need some."""

BY_OTHERS = {"metadrive_steps"}
"""Run by another benchmark, not by themselves."""


def benchmarks() -> list[str]:
    """The names of all benchmarks that run by themselves and have what they need here."""
    names = sorted(each.stem for each in (ROOT / "benchmarks").glob("*.py"))
    return [name for name in names if name not in BY_OTHERS and ARGUMENTS.get(name) != []]


def quoting(name: str) -> list[str]:
    """The documents that name a benchmark, and so quote its figures."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    script = f"benchmarks/{name}.py"
    return [
        str(each.relative_to(ROOT))
        for each in documents
        if script in each.read_text(encoding="utf-8")
    ]


def run(name: str, out: Path) -> bool:
    """Runs a benchmark, shows and keeps what it prints; returns whether it succeeded."""
    command = [sys.executable, f"benchmarks/{name}.py", *ARGUMENTS.get(name, [])]
    print(f"== {name}", flush=True)
    began = time.monotonic()
    with (out / f"{name}.txt").open("w", encoding="utf-8") as file:
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                file.write(line)
        file.write(f"\n{time.monotonic() - began:.0f} s, exit code {process.returncode}\n")
    return process.returncode == 0


def machine() -> str:
    """The processor, its number of cores and the load of the machine."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    kind = names[0] if names else platform.machine()
    return f"{kind}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start"


def main() -> int:
    """Runs all benchmarks, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all of them")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "bench")
    given = parser.parse_args()
    known = benchmarks()
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"there is no benchmark '{unknown[0]}' (benchmarks: {', '.join(known)})")
    given.out.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Benchmarks",
        "",
        machine(),
        "",
        "| benchmark | quoted in | result |",
        "|---|---|---|",
    ]
    failed = []
    for name in given.names or known:
        succeeded = run(name, given.out)
        if not succeeded:
            failed.append(name)
        result = f"[{name}.txt]({name}.txt)" if succeeded else f"failed, see {name}.txt"
        lines.append(f"| {name} | {', '.join(quoting(name))} | {result} |")
        (given.out / "summary.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    print(f"figures are in {given.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
