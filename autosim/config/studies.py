"""Studies: one world or scenario, run many times with other parameters and seeds.

Study files in XML and Python programs make the same records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Take = Literal["min", "max", "mean", "last", "rms"]
KeepRecord = Literal["none", "failed", "all"]

SEED = "seed"
"""The name under which settings find the seed of a run."""

WORLD_FILE = "world"
"""Name of the study's world file in settings."""

SCENARIO_FILE = "scenario"
"""Name of the study's scenario file in settings."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a value that differs between runs.

    Either `values`, each of which is tried; or `low` and `high`: with a `count`, that many values
    between them are tried, without one, samples are drawn from there. `is_log`: even in the
    logarithm. `is_whole`: whole numbers. `line` of its file, 0: none.
    """

    name: str
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    count: int | None = None
    is_log: bool = False
    is_whole: bool = False
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

    file: str
    address: str
    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run: the least, greatest, mean, last or effective value over its time.

    `of` is a value's name in the tree, `impreza.chassis.velocimeter.velocity`.
    """

    name: str
    of: str
    take: Take = "last"
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Study:
    """A study: the world, the number of runs, their parameters, and the measures.

    `world`: a world file or an OpenStreetMap extract. `scenario`: the file of one, None: none.
    `seconds`: of each run [s of simulated time], None: as the scenario says. `samples`: how many
    are drawn by Latin hypercube of the parameters that are sampled, by `sampling_seed`. `cases`:
    parameters that a program has chosen, in place of a grid. `limit`: longest time of a run [s of
    wall-clock time]. `record`: of which runs the record is kept. `source`: the study's own file;
    `scenario_line`: the line in it that names the scenario.
    """

    name: str
    world: Path
    scenario: Path | None = None
    seconds: float | None = None
    parameters: tuple[Parameter, ...] = ()
    settings: tuple[Setting, ...] = ()
    measures: tuple[Measure, ...] = ()
    seeds: tuple[int, ...] = (0,)
    samples: int = 0
    sampling_seed: int = 0
    cases: tuple[Mapping[str, str | float], ...] = ()
    limit: float = 600.0
    record: KeepRecord = "failed"
    source: Path | None = None
    scenario_line: int = field(default=0, compare=False)
