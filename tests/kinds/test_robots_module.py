"""Users find the classes of parts, links and devices in one place."""

from autosim import robots
from autosim.kinds.registry import BUILT_IN, LINKS, PARTS


def test_each_kind_that_is_built_in_has_its_class_there():
    for kind in (*PARTS, *LINKS, *BUILT_IN):
        name = kind.record.__name__
        assert getattr(robots, name, None) is kind.record, f"add {name} to autosim/robots.py"
        assert name in robots.__all__
