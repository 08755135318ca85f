"""The driving side of maps that state it, and of more than 100 places."""

import json

import numpy as np
import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.world.osm.driving_side import COUNTRY_TABLE, find_driving_side, guess_driving_side
from autosim.world.osm.highways import highway_classes
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import CROSSING, RESIDENTIAL, write_map

LEFT = {
    "London": (51.507, -0.128),
    "Edinburgh": (55.953, -3.188),
    "Lerwick": (60.155, -1.145),
    "Dublin": (53.349, -6.26),
    "Belfast": (54.597, -5.93),
    "Douglas, Isle of Man": (54.15, -4.482),
    "Saint Helier, Jersey": (49.187, -2.107),
    "Saint Peter Port, Guernsey": (49.456, -2.536),
    "Sark": (49.433, -2.361),
    "Valletta": (35.899, 14.514),
    "Nicosia": (35.172, 33.365),
    "Kyrenia": (35.341, 33.319),
    "Hamilton, Bermuda": (32.294, -64.783),
    "Nassau": (25.078, -77.339),
    "Freeport": (26.533, -78.7),
    "Cockburn Town": (21.461, -71.142),
    "George Town, Cayman": (19.296, -81.382),
    "Kingston, Jamaica": (17.997, -76.794),
    "Charlotte Amalie": (18.342, -64.931),
    "Frederiksted": (17.713, -64.882),
    "Road Town": (18.427, -64.62),
    "The Valley, Anguilla": (18.216, -63.057),
    "Basseterre": (17.296, -62.722),
    "Saint John's, Antigua": (17.121, -61.845),
    "Plymouth, Montserrat": (16.706, -62.216),
    "Roseau": (15.301, -61.388),
    "Castries": (14.01, -60.99),
    "Kingstown": (13.155, -61.227),
    "Bridgetown": (13.106, -59.613),
    "Saint George's, Grenada": (12.053, -61.752),
    "Port of Spain": (10.657, -61.518),
    "Scarborough, Tobago": (11.182, -60.735),
    "Georgetown, Guyana": (6.804, -58.155),
    "Paramaribo": (5.852, -55.204),
    "Stanley, Falklands": (-51.692, -57.859),
    "Jamestown, Saint Helena": (-15.925, -5.718),
    "Nairobi": (-1.286, 36.817),
    "Mombasa": (-4.043, 39.668),
    "Kampala": (0.347, 32.582),
    "Dar es Salaam": (-6.792, 39.208),
    "Zanzibar": (-6.165, 39.199),
    "Lusaka": (-15.387, 28.323),
    "Harare": (-17.829, 31.053),
    "Maputo": (-25.969, 32.573),
    "Lilongwe": (-13.963, 33.774),
    "Gaborone": (-24.628, 25.923),
    "Windhoek": (-22.56, 17.065),
    "Cape Town": (-33.925, 18.424),
    "Maseru": (-29.31, 27.48),
    "Mbabane": (-26.325, 31.144),
    "Port Louis": (-20.162, 57.499),
    "Victoria, Seychelles": (-4.62, 55.455),
    "Malé": (4.175, 73.509),
    "Colombo": (6.927, 79.862),
    "New Delhi": (28.614, 77.209),
    "Port Blair": (11.667, 92.735),
    "Karachi": (24.861, 67.01),
    "Kathmandu": (27.717, 85.324),
    "Thimphu": (27.472, 89.639),
    "Dhaka": (23.81, 90.413),
    "Bangkok": (13.756, 100.502),
    "Phuket": (7.885, 98.39),
    "Kuala Lumpur": (3.139, 101.687),
    "Kota Kinabalu": (5.98, 116.073),
    "Bandar Seri Begawan": (4.903, 114.94),
    "Singapore": (1.283, 103.86),
    "Jakarta": (-6.209, 106.846),
    "Dili": (-8.557, 125.56),
    "Hong Kong": (22.282, 114.159),
    "Sheung Shui": (22.501, 114.128),
    "Macau": (22.199, 113.544),
    "Tokyo": (35.68, 139.769),
    "Sapporo": (43.062, 141.354),
    "Naha, Okinawa": (26.213, 127.679),
    "Perth": (-31.973, 115.827),
    "Hobart": (-42.882, 147.327),
    "Christmas Island": (-10.42, 105.678),
    "Cocos Islands": (-12.187, 96.829),
    "Norfolk Island": (-29.041, 167.955),
    "Auckland": (-36.848, 174.763),
    "Chatham Islands": (-43.95, -176.56),
    "Port Moresby": (-9.444, 147.18),
    "Honiara": (-9.432, 159.955),
    "Suva": (-18.125, 178.45),
    "Taveuni": (-16.8, 179.99),
    "Taveuni, beyond 180°": (-16.82, -179.98),
    "Funafuti": (-8.52, 179.199),
    "South Tarawa": (1.329, 172.976),
    "Kiritimati": (1.872, -157.36),
    "Yaren, Nauru": (-0.547, 166.921),
    "Apia, Samoa": (-13.833, -171.767),
    "Nuku'alofa": (-21.139, -175.204),
    "Alofi, Niue": (-19.055, -169.918),
    "Avarua, Rarotonga": (-21.207, -159.775),
    "Adamstown, Pitcairn": (-25.067, -130.1),
}
RIGHT = {
    "Calais": (50.951, 1.858),
    "Saint-Malo": (48.649, -2.026),
    "Shenzhen": (22.543, 114.058),
    "Luohu, Shenzhen": (22.548, 114.121),
    "Zhuhai": (22.271, 113.577),
    "Gongbei, Zhuhai": (22.223, 113.551),
    "Kigali": (-1.944, 30.062),
    "Bujumbura": (-3.361, 29.36),
    "Kinshasa": (-4.441, 15.266),
    "Lubumbashi": (-11.687, 27.503),
    "Luanda": (-8.839, 13.289),
    "Addis Ababa": (9.03, 38.74),
    "Mogadishu": (2.047, 45.318),
    "Juba": (4.859, 31.571),
    "Antananarivo": (-18.879, 47.508),
    "Moroni": (-11.702, 43.255),
    "Mamoudzou": (-12.78, 45.228),
    "Saint-Denis, Réunion": (-20.879, 55.448),
    "Fort-de-France": (14.616, -61.059),
    "Pointe-à-Pitre": (16.241, -61.533),
    "Philipsburg": (18.024, -63.046),
    "Gustavia": (17.896, -62.85),
    "Oranjestad, Sint Eustatius": (17.481, -62.983),
    "San Juan": (18.466, -66.106),
    "Santo Domingo": (18.486, -69.931),
    "Port-au-Prince": (18.594, -72.307),
    "Havana": (23.113, -82.366),
    "Miami": (25.762, -80.192),
    "Willemstad": (12.117, -68.933),
    "Caracas": (10.48, -66.904),
    "Cayenne": (4.922, -52.313),
    "Boa Vista": (2.824, -60.676),
    "Yangon": (16.866, 96.195),
    "Vientiane": (17.975, 102.633),
    "Phnom Penh": (11.556, 104.928),
    "Manila": (14.599, 120.984),
    "Taipei": (25.033, 121.565),
    "Seoul": (37.567, 126.978),
    "Busan": (35.18, 129.076),
    "Yuzhno-Sakhalinsk": (46.959, 142.738),
    "Kabul": (34.555, 69.207),
    "Tehran": (35.689, 51.389),
    "Lhasa": (29.652, 91.172),
    "Diego Garcia": (-7.313, 72.411),
    "Nouméa": (-22.276, 166.458),
    "Port Vila": (-17.734, 168.322),
    "Pago Pago": (-14.276, -170.702),
    "Papeete": (-17.535, -149.57),
    "Mata-Utu": (-13.283, -176.176),
    "Guam": (13.444, 144.794),
    "Gibraltar": (36.14, -5.353),
    "Helsinki": (60.17, 24.94),
    "Monaco": (43.738, 7.425),
}


@pytest.mark.parametrize(
    ("name", "place", "side"),
    [
        (name, place, side)
        for side, places in (("left", LEFT), ("right", RIGHT))
        for name, place in places.items()
    ],
)
def test_the_driving_side_of_places(name, place, side):
    found, message = guess_driving_side(*place)
    assert found == side, message
    assert not message or f"{side} is a guess, because the map seems to lie" in message


def test_only_a_guess_near_a_border_is_worth_a_warning():
    assert "close to a country where traffic keeps left" in guess_driving_side(22.548, 114.121)[1]
    assert "close to a country where traffic keeps right" in guess_driving_side(22.501, 114.128)[1]
    assert guess_driving_side(-1.286, 36.817) == ("left", "")
    assert guess_driving_side(60.17, 24.94) == ("right", "")


def test_longitudes_are_wrapped():
    assert guess_driving_side(-16.8, 180.02)[0] == guess_driving_side(-16.8, -179.98)[0] == "left"


def side_of(folder, *ways, relations=()):
    data = read_osm(write_map(folder, ways, relations=relations))
    return find_driving_side(data, (60.17, 24.94), highway_classes(None))


LEFT_STREET = RESIDENTIAL | {"driving_side": "left"}


def test_tags_of_streets_come_before_the_place(tmp_path):
    lines = [line for line, _ in CROSSING]
    assert side_of(tmp_path, *((line, LEFT_STREET) for line in lines)) == ("left", "")
    assert side_of(tmp_path, (lines[0], LEFT_STREET), (lines[1], RESIDENTIAL)) == ("left", "")


def test_a_few_streets_that_change_sides_say_nothing_of_the_others(tmp_path):
    others = [(((k, 0.0), (k, 90.0)), RESIDENTIAL) for k in (10.0, 20.0)]
    assert side_of(tmp_path, (((0.0, 0.0), (0.0, 90.0)), LEFT_STREET), *others)[0] == "right"
    path = (((0.0, 5.0), (0.0, 95.0)), {"highway": "footway", "driving_side": "left"})
    assert side_of(tmp_path, path, others[0])[0] == "right"


def test_relations_of_countries_come_before_the_place_if_they_agree(tmp_path):
    country = {"type": "boundary", "driving_side": "left"}
    members = [("way", 1, "outer")]
    assert side_of(tmp_path, *CROSSING, relations=[(members, country)]) == ("left", "")
    other = country | {"driving_side": "right"}
    relations = [(members, country), (members, other)]
    assert side_of(tmp_path, *CROSSING, relations=relations)[0] == "right"


def test_an_uncertain_guess_is_a_warning_of_the_world(tmp_path):
    found = Diagnostics()
    near_border = (22.501, 114.128)
    world = build_world(write_map(tmp_path, CROSSING, origin=near_border), diagnostics=found)
    assert world.driving_side == "left"
    assert "left is a guess, because the map seems to lie in" in found.warnings[0].message


def test_the_table_is_small_and_carries_its_licence():
    table = json.loads(COUNTRY_TABLE.read_text(encoding="utf-8"))
    assert "ISC License" in table["licence"]
    assert "permission notice appear in all copies" in table["licence"]
    assert COUNTRY_TABLE.stat().st_size < 100_000
    assert len(table["features"]) > 100
    for feature in table["features"]:
        corners = np.vstack([ring for part in feature["geometry"]["coordinates"] for ring in part])
        assert (np.abs(corners) <= (180.0, 90.0)).all()
