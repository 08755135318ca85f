"""The elements of a study file: one world or scenario, run many times."""

from autosim.config.schema import Attribute, Element, Occurs, ValueType
from autosim.config.studies import COUNT, SEEDS, Measure, Parameter, Setting, Study
from autosim.config.xml_parameters import attributes_of, children_of

_WORLD, _SCENARIO, _SAMPLES = children_of(Study)

_PARAMETER = Element(
    "Parameter",
    "What differs between runs: `values`, or a range with a `count`, of which all are tried in "
    "every combination; or a range alone, of which `Samples` draws.",
    attributes_of(Parameter),
    occurs=Occurs.ANY,
)

_SEEDS = Element(
    "Seeds",
    "The seeds of noise, with each of which all is run.",
    (
        Attribute(
            "first",
            "The first seed.",
            ValueType.INTEGER,
            default=0,
            interval=SEEDS,
        ),
        Attribute("count", "Number of seeds.", ValueType.INTEGER, default=1, interval=COUNT),
    ),
)

_SET = Element(
    "Set",
    "Writes parameters into a file of each run.",
    attributes_of(Setting),
    occurs=Occurs.ANY,
)

_MEASURE = Element(
    "Measure",
    "A number of each run, from all of its steps.",
    attributes_of(Measure),
    occurs=Occurs.ANY,
)

STUDY = Element(
    "Study",
    "A study file: one world or scenario, run many times with other parameters and seeds.",
    attributes_of(Study),
    (_WORLD, _SCENARIO, _PARAMETER, _SAMPLES, _SEEDS, _SET, _MEASURE),
    is_strict=True,
    occurs=Occurs.ONCE,
)
