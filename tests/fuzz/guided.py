"""A process that fuzzes one target, guided by coverage (Atheris, libFuzzer).

`python -m tests.fuzz.guided TARGET FOLDER SECONDS SEED`; findings are written to FOLDER.
"""

import hashlib
import sys
from pathlib import Path
from random import Random

import atheris

_LONGEST_SECONDS = 300
"""After which one input stops the process, for loops outside of Python."""

_MOST_MEGABYTES = 6000


def main(name: str, folder: Path, seconds: int, seed: int) -> None:
    """Fuzzes until the time is up; this process then ends."""
    packages = _packages_of(name)
    # Modules that a reader imports late are instrumented, too: the context stays open.
    atheris.instrument_imports(include=["autosim"], exclude=_left_alone(packages)).__enter__()
    from tests.fuzz.fuzz_targets import TARGETS
    from tests.fuzz.mutations import MOST_BYTES, mutate
    from tests.fuzz.trials import shrunk, try_input

    target = TARGETS[name]
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = target.seeds()
    for data in seeds:
        (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
    known: set[str] = set()
    scratch = folder / "input"
    scratch.mkdir(exist_ok=True)

    def try_one(data: bytes) -> None:
        found = try_input(target, data, scratch)
        if found is None or found.place in known:
            return
        known.add(found.place)
        found = shrunk(found, target)
        file = folder / f"finding-{hashlib.sha1(found.place.encode()).hexdigest()[:12]}"
        file.with_suffix(target.suffix).write_bytes(found.data)
        file.with_suffix(".txt").write_text(f"{found.place}\n\n{found.text}")
        print(f"FINDING {found.place}", file=sys.stderr, flush=True)

    def changed(data: bytes, most: int, number: int) -> bytes:
        random = Random(number)
        return mutate(data, random.choice(seeds), random)[:most]

    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed + 1}",
        f"-max_len={MOST_BYTES}",
        f"-timeout={_LONGEST_SECONDS}",
        f"-rss_limit_mb={_MOST_MEGABYTES}",
        f"-artifact_prefix={folder}/stopped-",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], try_one, custom_mutator=changed)
    atheris.Fuzz()


def _packages_of(name: str) -> tuple[str, ...]:
    """The packages of a target, read without importing what is to be instrumented."""
    import subprocess

    code = f"from tests.fuzz.fuzz_targets import TARGETS; print(*TARGETS[{name!r}].packages)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return tuple(done.stdout.split())


def _left_alone(packages: tuple[str, ...]) -> list[str]:
    """Modules of AutoSim that are not instrumented.

    These are the ones outside of `packages`, and those with compiled kernels, whose bytecode must
    stay as it is.
    """
    from tests.paths import ROOT

    found = []
    for path in (ROOT / "autosim").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        is_wanted = any(f"{name}.".startswith(f"{package}.") for package in packages)
        if not is_wanted or "autosim.jit" in path.read_text():
            found.append(name)
    return found


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
