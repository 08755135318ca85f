"""The elements of a study file: one world or scenario, run many times."""

from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import name_of, path_of

_SECONDS = Interval(0.0, 1e5, low_open=True)
"""Times [s]: up to more than a day."""

_COUNT = Interval(1, 1e6)
"""Number of runs: as many as a folder holds."""

_PARAMETER = Element(
    "Parameter",
    "What differs between runs: `values`, or a range with a `count`, of which all are tried in "
    "every combination; or a range alone, of which `Samples` draws.",
    (
        name_of("the parameter"),
        Attribute(
            "values",
            "The values to try, separated by spaces; those with spaces in quotes.",
            ValueType.TEXT,
        ),
        Attribute("from", "Begin of the range."),
        Attribute("to", "End of the range."),
        Attribute(
            "count",
            "Number of values, both ends included.",
            ValueType.INTEGER,
            interval=Interval(2, 1e6),
        ),
        Attribute(
            "scale",
            "Whether the values are even by their differences or by their ratios.",
            ValueType.TEXT,
            default="linear",
            allowed=("linear", "log"),
        ),
        Attribute("whole", "Whole numbers only.", ValueType.BOOLEAN, default=False),
    ),
    occurs=Occurs.ANY,
)

_SET = Element(
    "Set",
    "Writes parameters into a file of each run.",
    (
        Attribute(
            "file",
            "`world`, `scenario`, or a robot file as the world names it.",
            ValueType.TEXT,
            default="scenario",
        ),
        Attribute(
            "at",
            "The attribute: steps from the root, each a tag or a name, and the attribute behind @. "
            "A tag stands for all elements with it. What is left out in the file is added.",
            ValueType.TEXT,
            required=True,
        ),
        Attribute(
            "to",
            "What is written, with {parameter} for a value and {seed} for the seed.",
            ValueType.TEXT,
            required=True,
        ),
    ),
    occurs=Occurs.ANY,
)

_MEASURE = Element(
    "Measure",
    "A number of each run, from all of its steps.",
    (
        name_of("the measure"),
        Attribute(
            "of",
            "A value as in records: `impreza.chassis.velocimeter.velocity`.",
            ValueType.TEXT,
            required=True,
        ),
        Attribute(
            "take",
            "Which: the least, greatest, mean, last or effective one (the root of the mean "
            "square).",
            ValueType.TEXT,
            default="last",
            allowed=("min", "max", "mean", "last", "rms"),
        ),
    ),
    occurs=Occurs.ANY,
)

STUDY = Element(
    "Study",
    "A study file: one world or scenario, run many times with other parameters and seeds.",
    (
        name_of("the study, and of the folder of its results"),
        Attribute(
            "seconds",
            "Simulated time of each run; as the scenario says when not given.",
            unit="s",
            interval=_SECONDS,
        ),
        Attribute(
            "limit",
            "Longest time of a run, by the clock on the wall.",
            unit="s",
            default=600.0,
            interval=_SECONDS,
        ),
        Attribute(
            "record",
            "Of which runs the record is kept. That of any other run is made again when it is "
            "wanted.",
            ValueType.TEXT,
            default="failed",
            allowed=("none", "failed", "all"),
        ),
    ),
    (
        path_of("World", "The world file, or an OpenStreetMap extract.", required=True),
        path_of("Scenario", "The scenario that is played."),
        _PARAMETER,
        Element(
            "Samples",
            "Latin hypercube samples of all parameters that have a range without a count.",
            (
                Attribute(
                    "count",
                    "Number of samples.",
                    ValueType.INTEGER,
                    required=True,
                    interval=_COUNT,
                ),
                Attribute(
                    "seed",
                    "Of the samples.",
                    ValueType.INTEGER,
                    default=0,
                    interval=Interval(0, 2**31),
                ),
            ),
        ),
        Element(
            "Seeds",
            "The seeds of noise, with each of which all is run.",
            (
                Attribute(
                    "first",
                    "The first seed.",
                    ValueType.INTEGER,
                    default=0,
                    interval=Interval(0, 2**31),
                ),
                Attribute(
                    "count", "Number of seeds.", ValueType.INTEGER, default=1, interval=_COUNT
                ),
            ),
        ),
        _SET,
        _MEASURE,
    ),
    is_strict=True,
    occurs=Occurs.ONCE,
)
