"""docs/from_other_simulators.md: its environment runs, and its signs are true."""

import re
from typing import Any

import numpy as np
import pytest

from tests.worlds import ROOT

PAGE = (ROOT / "docs" / "from_other_simulators.md").read_text(encoding="utf-8")
(ENVIRONMENT,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the page's program has defined when it is over."""
    done: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        exec(ENVIRONMENT, done)
    return done


def yaw(town: Any) -> float:
    """Of the car on its level street [rad]."""
    *_, z, w = town.read("impreza.chassis", "orientation")
    return float(2.0 * np.arctan2(z, w))


def test_the_car_of_the_environment_drives(names: dict[str, Any]) -> None:
    assert names["observed"][0] > 2.0
    assert names["reward"] > 0.2
    assert not names["is_over"]


def test_equal_seeds_and_actions_are_equal_and_positive_steering_is_to_the_left(
    names: dict[str, Any],
) -> None:
    seen = []
    for _ in range(2):
        town = names["Town"]()
        town.reset(seed=3)
        start = yaw(town)
        runs = [town.step([0.2, 0.4, 0.0])[0] for _ in range(8)]
        turned = yaw(town) - start
        town.close()
        seen.append(np.array(runs))
        assert (turned + np.pi) % (2 * np.pi) - np.pi > 0.01
    assert np.array_equal(*seen)
