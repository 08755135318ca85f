"""The elements of a suite file: routes that the benchmark drives, with weather and limits."""

from autosim.config.schema import Element, Occurs
from autosim.config.suites import RouteGroup, Suite
from autosim.config.xml_parameters import attributes_of

_ROUTES = Element(
    "Routes",
    "Routes through one world, driven under the same conditions.",
    attributes_of(RouteGroup),
    occurs=Occurs.ANY,
)

SUITE = Element(
    "Suite",
    "A suite file: the episodes of a driving benchmark.",
    attributes_of(Suite),
    (_ROUTES,),
    is_strict=True,
    occurs=Occurs.ONCE,
)
