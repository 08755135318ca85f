"""Orders to vehicles that mean nothing are refused with what they may be."""

import pytest

from autosim.userprogram.session.traffic_vehicles import VehicleOrder


def order(**wishes):
    nothing = {"speed": None, "lane_change": None, "street": None, "place": None, "remove": False}
    return VehicleOrder.of(3, **{**nothing, **wishes})


@pytest.mark.parametrize(
    ("wishes", "text"),
    [
        ({"lane_change": "up"}, "lane_change is 'left', 'right' or None, not 'up'"),
        ({"speed": -1.0}, "speed is 0 m/s or more, not -1.0"),
        ({"speed": float("nan")}, "speed is 0 m/s or more, not nan"),
        ({"street": "Main Street"}, r"street is a number, as .*, not 'Main Street'"),
    ],
)
def test_what_means_nothing_is_named(wishes, text):
    with pytest.raises(ValueError, match=text):
        order(**wishes)


def test_what_means_something_is_taken():
    assert order() is None
    assert order(lane_change="left", speed=0.0, street=4).street == 4
