"""Compiles random networks of streets, and says which share of them breaks which measure.

    python benchmarks/networks.py [COUNT [SEED]]

The networks are those of `tests/world/networks.py`: such as no town has, but maps may. Of each
measure the network that breaks it worst is printed too, to begin looking at.
"""

import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from autosim.world.validation.soundness import measures  # noqa: E402
from tests.world.networks import Network, build, networks  # noqa: E402


def broken_by(count: int, number: int) -> dict[str, list[tuple[float, Network]]]:
    """Of `count` networks those that break a measure, each with the value."""
    found: dict[str, list[tuple[float, Network]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:

        @seed(number)
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(network=networks())
        def look(network: Network) -> None:
            for each in measures(build(Path(folder), network)):
                if each.is_broken and each.value is not None:
                    found[each.name].append((each.value, network))

        look()
    return found


def main(arguments: list[str]) -> None:
    count = int(arguments[0]) if arguments else 200
    number = int(arguments[1]) if len(arguments) > 1 else 0
    broken = sorted(broken_by(count, number).items())
    print(f"{count} networks from seed {number}; measures broken by any of them: {len(broken)}")
    for name, found in broken:
        value, worst = max(found, key=lambda each: each[0])
        print(f"{len(found) / count:6.1%} {name}, worst {value:.3g}")
        for line, tags in worst.ways:
            print(f"        {line}, {dict(tags)}")
        if worst.hills[0]:
            print(f"        hills {worst.hills}")


if __name__ == "__main__":
    main(sys.argv[1:])
