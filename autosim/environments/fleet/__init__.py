"""Fleets: many cars without forces in one compiled step, each in its own episode."""

from autosim.environments.fleet.fleet_environment import RAY_RANGE as RAY_RANGE
from autosim.environments.fleet.fleet_environment import FleetVectorEnv as FleetVectorEnv
