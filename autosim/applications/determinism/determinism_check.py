"""Runs one world in all ways and compares the digests."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from autosim.applications.determinism.cases import Case
from autosim.applications.determinism.digest_probe import ProbeOrder


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The digests of one way to run; `differing` counts those that are not the expected one.

    Attributes:
        name: name of the `Case`.
        runs: number of runs.
        digest: SHA-256 (hex) of the first run that differs, else the expected one.
    """

    name: str
    runs: int
    differing: int
    digest: str


@dataclass(frozen=True, slots=True)
class Determinism:
    """All ways; `digest` is that of the very first run."""

    digest: str
    cases: tuple[CaseResult, ...]
    """Results of the ways, in the order of running."""

    @property
    def runs(self) -> int:
        """Number of runs."""
        return sum(each.runs for each in self.cases)

    @property
    def differing(self) -> int:
        """Number of different ones."""
        return sum(each.differing for each in self.cases)


def check_determinism(
    order: ProbeOrder,
    cases: Iterable[Case],
    *,
    begun: Callable[[str], None] = lambda name: None,
    told: Callable[[CaseResult], None] = lambda result: None,
) -> Determinism:
    """Runs a world in all ways; `begun` is called with the name of each, `told` with its result.

    Raises:
        UserError: a run fails.
    """
    expected, results = "", []
    for case in cases:
        begun(case.name)
        digests = case.run(order)
        expected = expected or digests[0]
        others = [each for each in digests if each != expected]
        result = CaseResult(case.name, len(digests), len(others), (others or [expected])[0])
        results.append(result)
        told(result)
    return Determinism(expected, tuple(results))


def result_text(result: CaseResult) -> str:
    """One way in a line."""
    verdict = "the same" if not result.differing else f"{result.differing} of {result.runs} DIFFER"
    count = f" ({result.runs} runs)" if result.runs > 1 else ""
    return f"{result.name}{count}: {verdict}  {result.digest[:16]}"
