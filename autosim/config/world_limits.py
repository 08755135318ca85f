"""Limits of parameters of worlds that commands, windows and requests check as well.

They stand apart from the records of `world_settings.py`, so that `autosim --help` need not build
those.
"""

from autosim.config.schema import Interval

STEP_RATES = Interval(30, 10000)
"""Steps [Hz] in a simulated second: fewer are unstable, more improve nothing that is simulated."""

MOST_VEHICLES = 1000
"""Vehicles of traffic at a time: what a computer of today steps in about real time."""

MOST_PEOPLE = 1000
"""Pedestrians and cyclists at a time: what a computer of today steps in about real time."""
