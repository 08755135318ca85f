"""Digests of many ways to run a world are compared with the first."""

import pytest

from autosim.applications.determinism import cases
from autosim.applications.determinism.cases import Case, all_cases
from autosim.applications.determinism.determinism_check import (
    CaseResult,
    check_determinism,
    result_text,
)
from autosim.applications.determinism.digest_probe import ProbeOrder
from autosim.errors import UserError

ORDER = ProbeOrder("worlds/circle_town.xml", 4, 0)


def test_each_digest_that_differs_from_the_first_is_counted() -> None:
    ways = [Case("first", lambda order: ["a", "a"]), Case("other", lambda order: ["a", "b"])]
    told: list[CaseResult] = []
    begun: list[str] = []
    found = check_determinism(ORDER, ways, begun=begun.append, told=told.append)
    assert begun == ["first", "other"]
    assert (found.digest, found.runs, found.differing) == ("a", 4, 1)
    assert tuple(told) == found.cases
    assert result_text(told[0]) == "first (2 runs): the same  a"
    assert result_text(told[1]) == "other (2 runs): 1 of 2 DIFFER  b"


def test_many_runs_are_shared_among_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []

    def probe(order: ProbeOrder) -> list[str]:
        batches.append(order.runs)
        return ["a"] * order.runs

    monkeypatch.setattr(cases, "_probe", probe)
    first = next(all_cases(250))
    assert len(first.run(ORDER)) == 250
    assert batches == [100, 100, 50]


def test_a_world_that_cannot_be_used_is_named_as_everywhere() -> None:
    missing = ProbeOrder("worlds/nothing.xml", steps=2, seed=0)
    with pytest.raises(UserError, match=r"^worlds/nothing\.xml: error: cannot be read"):
        check_determinism(missing, all_cases(2))


def test_other_processors_are_tried_on_request() -> None:
    usual = [case.name for case in all_cases(2)]
    more = [case.name for case in all_cases(2, with_processors=True)]
    assert more == [*usual, *cases.PROCESSORS]
