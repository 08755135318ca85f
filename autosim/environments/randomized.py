"""Random parameters of episodes, and stages of a curriculum.

    Randomized(environment, [
        Parameter("wetness", low=0.0, high=1.0),
        Parameter("weather.rain", low=0.0, high=1.0),
        Parameter("world", values=("worlds/circle_town.xml", "worlds/highway_merge.xml")),
        Parameter("world:Physics/Dynamics/Gravity", low=9.7, high=9.9),
    ])

`Parameter` is that of `autosim sweep`. Its name is an option of `reset`, a field of the option
`weather` behind a dot, or an address of a setting, as of `episode_worlds.settings_in`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import SupportsFloat

import gymnasium
import numpy as np
import numpy.typing as npt

from autosim.config.studies import Parameter
from autosim.environments.agent_view import Seen
from autosim.loading.studies.points import number_at

Action = npt.NDArray[np.float32]

_WEATHER = "weather."
"""Beginning of the names of parameters that are fields of the option `weather`."""


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """Outcome of an episode.

    Attributes:
        options: options of `reset` with which it began.
        is_success: whether it ended by its goal.
        ended_by: name of the ending, "" where steps ran out or another episode began.
        total: sum of its rewards.
        length: number of its steps.
    """

    options: dict[str, object]
    is_success: bool
    ended_by: str
    total: float
    length: int


Curriculum = Callable[[Sequence[EpisodeOutcome]], Sequence[Parameter]]
"""Chooses the parameters of the next episode by the outcomes of all episodes so far."""


@dataclass(slots=True)
class Stages:
    """A curriculum of stages, each with its own parameters.

    The next stage begins when, of the last `window` episodes of a stage, a share of `success` or
    more has reached its goal; the last stage does not end. `stage` is the number of the present
    one.
    """

    stages: Sequence[Sequence[Parameter]]
    success: float = 0.8
    """Share of successful episodes that ends a stage."""
    window: int = 20
    """Number of episodes of a stage over which the share is taken."""
    stage: int = field(default=0, init=False)
    _begun: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if not self.stages or self.window < 1:
            raise ValueError("a curriculum has one stage or more, and a window of one or more")

    def __call__(self, outcomes: Sequence[EpisodeOutcome]) -> Sequence[Parameter]:
        """The parameters of the next episode."""
        recent = outcomes[self._begun :][-self.window :]
        is_full = len(recent) == self.window
        if is_full and sum(each.is_success for each in recent) >= self.success * self.window:
            self.stage = min(self.stage + 1, len(self.stages) - 1)
            self._begun = len(outcomes)
        return self.stages[self.stage]


class Randomized(gymnasium.Wrapper[Seen, Action, Seen, Action]):
    """An environment whose episodes begin with random options.

    The options that `reset` is given replace drawn ones. The same seeds draw the same values.
    `info` of `reset` has them as `options`.

    Args:
        environment: one of AutoSim, perhaps in other wrappers.
        parameters: the parameters, or a curriculum that chooses them for each episode.

    `outcomes` of all episodes so far.

    Raises:
        ValueError: a parameter has neither values nor a range.
    """

    def __init__(
        self,
        environment: gymnasium.Env[Seen, Action],
        parameters: Sequence[Parameter] | Curriculum,
    ) -> None:
        super().__init__(environment)
        self._parameters = parameters
        if not callable(parameters):
            for each in parameters:
                _check(each)
        self._rng = np.random.default_rng()
        self.outcomes: list[EpisodeOutcome] = []
        self._options: dict[str, object] | None = None
        self._total, self._length = 0.0, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Seen, dict[str, object]]:
        """Begins an episode with drawn options.

        Args:
            seed: of what is drawn, and of the environment, from now on.
            options: replace drawn ones.
        """
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._note("", is_success=False)
        chosen = self._parameters
        parameters = chosen(self.outcomes) if callable(chosen) else chosen
        drawn = self._drawn(parameters) | (options or {})
        seen, info = self.env.reset(seed=seed, options=drawn)
        self._options, self._total, self._length = drawn, 0.0, 0
        return seen, {**info, "options": drawn}

    def step(self, action: Action) -> tuple[Seen, SupportsFloat, bool, bool, dict[str, object]]:
        """As the environment, of which it notes the outcome."""
        seen, reward, ended, cut, info = self.env.step(action)
        self._total += float(reward)
        self._length += 1
        if ended or cut:
            self._note(str(info.get("ended_by", "")), is_success=bool(info.get("is_success")))
        return seen, reward, ended, cut, info

    def _note(self, ended_by: str, *, is_success: bool) -> None:
        """Adds the outcome of the present episode, if one has begun and had a step."""
        if self._options is not None and self._length:
            self.outcomes.append(
                EpisodeOutcome(self._options, is_success, ended_by, self._total, self._length)
            )
        self._options = None

    def _drawn(self, parameters: Sequence[Parameter]) -> dict[str, object]:
        options: dict[str, object] = {}
        weather: dict[str, object] = {}
        settings: dict[str, object] = {}
        for each in parameters:
            value = draw_value(each, self._rng)
            if each.name.startswith(_WEATHER):
                weather[each.name.removeprefix(_WEATHER)] = value
            elif ":" in each.name:
                settings[each.name] = value
            else:
                options[each.name] = value
        for name, found in (("weather", weather), ("settings", settings)):
            if found:
                options[name] = found
        return options


def draw_value(parameter: Parameter, rng: np.random.Generator) -> str | float:
    """A value of a parameter: one of its values, or one in its range.

    With a `count`, each of that many values in the range is as likely. Texts that are numbers
    become numbers.

    Raises:
        ValueError: it has neither values nor a range.
    """
    _check(parameter)
    if parameter.values:
        return _as_number(parameter.values[int(rng.integers(len(parameter.values)))])
    if parameter.count is not None:
        share = float(rng.integers(parameter.count)) / max(parameter.count - 1, 1)
        return float(number_at(parameter, share, is_drawn=False))
    return float(number_at(parameter, float(rng.random()), is_drawn=True))


def _check(parameter: Parameter) -> None:
    """Checks that a value can be drawn.

    Raises:
        ValueError: it has neither values nor a range.
    """
    low, high = parameter.low, parameter.high
    has_range = low is not None and high is not None and low <= high
    if not parameter.values and not has_range:
        raise ValueError(f"parameter '{parameter.name}' has neither values nor a range low to high")
    if parameter.is_log and not parameter.values and not (low or 0.0) > 0.0:
        raise ValueError(f"parameter '{parameter.name}': a range in logarithms begins above 0")


def _as_number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
