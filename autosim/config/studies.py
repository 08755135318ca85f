"""Studies: one world or scenario, run many times with other parameters and seeds.

Study files in XML and Python programs make the same records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from autosim.config.arguments import join_arguments, split_arguments
from autosim.config.schema import Interval, Occurs, ValueType
from autosim.config.xml_parameters import (
    ChildTag,
    ValueForm,
    attribute,
    child,
    name_of,
    part,
    words,
)

Take = Literal["min", "max", "mean", "last", "rms"]
KeepRecord = Literal["none", "failed", "all"]

SEED = "seed"
"""The name under which settings find the seed of a run."""

WORLD_FILE = "world"
"""Name of the study's world file in settings."""

SCENARIO_FILE = "scenario"
"""Name of the study's scenario file in settings."""

COUNT = Interval(1, 1e6)
"""Number of runs: as many as a folder holds."""

SEEDS = Interval(0, 2**31)
"""Seeds of runs and of samples: 31 bits, as in generators of other programs."""

_SECONDS = Interval(0.0, 1e5, low_open=True)
"""Times [s]: up to more than a day."""

_SAMPLES = ChildTag(
    "Samples", "Latin hypercube samples of all parameters that have a range without a count."
)

_PATH = ValueForm(read=Path, write=str)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a value that differs between runs.

    Either `values`, each of which is tried; or `low` and `high`: with a `count`, that many values
    between them are tried, without one, samples are drawn from there. `is_log`: even in the
    logarithm. `is_whole`: whole numbers. `line` of its file, 0: none.
    """

    name: str = field(metadata=name_of("the parameter"))
    """Name, unique in the study."""
    values: tuple[str, ...] = field(
        default=(),
        metadata=attribute(
            "values",
            "The values to try, separated by spaces; those with spaces in quotes.",
            type=ValueType.TEXT,
            form=ValueForm(read=split_arguments, write=join_arguments),
            absent=lambda before: (),
        ),
    )
    low: float | None = field(default=None, metadata=attribute("from", "Begin of the range."))
    high: float | None = field(default=None, metadata=attribute("to", "End of the range."))
    count: int | None = field(
        default=None,
        metadata=attribute(
            "count", "Number of values, both ends included.", interval=Interval(2, 1e6)
        ),
    )
    is_log: bool = field(
        default=False,
        metadata=attribute(
            "scale",
            "Whether the values are even by their differences or by their ratios.",
            **words(false="linear", true="log"),
        ),
    )
    is_whole: bool = field(default=False, metadata=attribute("whole", "Whole numbers only."))
    line: int = field(default=0, compare=False)

    @property
    def is_sampled(self) -> bool:
        """Whether its values are drawn."""
        return not self.values and self.count is None


@dataclass(frozen=True, slots=True)
class Setting:
    """Target of a parameter.

    `file`: "world", "scenario", or a robot file as the world names it. `address`: steps to an
    attribute, `Physics/Dynamics/Gravity/@value`; each step is a tag or a name. `text`: what is
    written there, with `{parameter}` for values and `{seed}` for the seed.
    """

    file: str = field(
        metadata=attribute(
            "file",
            "`world`, `scenario`, or a robot file as the world names it.",
            default=SCENARIO_FILE,
        )
    )
    address: str = field(
        metadata=attribute(
            "at",
            "The attribute: steps from the root, each a tag or a name, and the attribute behind @. "
            "A tag stands for all elements with it. What is left out in the file is added.",
            is_required=True,
        )
    )
    text: str = field(
        metadata=attribute(
            "to",
            "What is written, with {parameter} for a value and {seed} for the seed.",
            is_required=True,
        )
    )
    line: int = field(default=0, compare=False)
    """Line in the study's file, 0 for none."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run: the least, greatest, mean, last or effective value over its time.

    `of` is a value's name in the tree, `impreza.chassis.velocimeter.velocity`.
    """

    name: str = field(metadata=name_of("the measure"))
    of: str = field(
        metadata=attribute(
            "of",
            "A value as in records: `impreza.chassis.velocimeter.velocity`.",
            is_required=True,
        )
    )
    take: Take = field(
        default="last",
        metadata=attribute(
            "take",
            "Which: the least, greatest, mean, last or effective one (the root of the mean "
            "square).",
        ),
    )
    """Reduction of the values over time."""
    line: int = field(default=0, compare=False)
    """Line in the study's file, 0 for none."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study: the world, the number of runs, their parameters, and the measures.

    `world`: a world file or a map. `scenario`: the file of one, None: none.
    `seconds`: of each run [s of simulated time], None: as the scenario says. `samples`: how many
    are drawn by Latin hypercube of the parameters that are sampled, by `sampling_seed`. `cases`:
    parameters that a program has chosen, in place of a grid. `limit`: longest time of a run [s of
    wall-clock time]. `record`: of which runs the record is kept. `source`: the study's own file;
    `scenario_line`: the line in it that names the scenario.
    """

    name: str = field(metadata=name_of("the study, and of the folder of its results"))
    """Name of the study."""
    world: Path = field(
        metadata=part(
            ChildTag("World", "The world file, or a map.", Occurs.ONCE),
            "path",
            "",
            type=ValueType.PATH,
            is_required=True,
            form=_PATH,
        )
    )
    scenario: Path | None = field(
        default=None,
        metadata=child(
            "Scenario",
            "The scenario that is played.",
            attribute="path",
            type=ValueType.PATH,
            form=_PATH,
        ),
    )
    seconds: float | None = field(
        default=None,
        metadata=attribute(
            "seconds",
            "Simulated time of each run; as the scenario says when not given.",
            unit="s",
            interval=_SECONDS,
        ),
    )
    parameters: tuple[Parameter, ...] = ()
    settings: tuple[Setting, ...] = ()
    """Targets of the parameters."""
    measures: tuple[Measure, ...] = ()
    seeds: tuple[int, ...] = (0,)
    """Seeds; each combination of parameters runs once per seed."""
    samples: int = field(
        default=0,
        metadata=part(
            _SAMPLES,
            "count",
            "Number of samples.",
            interval=COUNT,
            is_required=True,
            absent=lambda before: 0,
        ),
    )
    sampling_seed: int = field(
        default=0,
        metadata=part(_SAMPLES, "seed", "Seed of the samples.", interval=SEEDS),
    )
    cases: tuple[Mapping[str, str | float], ...] = ()
    limit: float = field(
        default=600.0,
        metadata=attribute(
            "limit",
            "Longest time of a run, by the clock on the wall.",
            unit="s",
            interval=_SECONDS,
        ),
    )
    record: KeepRecord = field(
        default="failed",
        metadata=attribute(
            "record",
            "Of which runs the record is kept. That of any other run is made again when it is "
            "wanted.",
        ),
    )
    source: Path | None = None
    scenario_line: int = field(default=0, compare=False)
