"""Environments to learn in, with Gymnasium's interface (pip install 'autosim[learning]').

    import gymnasium, autosim.environments
    environment = gymnasium.make("autosim/LaneKeeping-v0")

`driving` is one car in one simulation, `parallel` are several with PettingZoo's interface: the
`tasks`, `observations`, `rewards` and `terminations` of a car (`agent`) are lists of small records
that may be changed and added to. `episodes/` starts and runs an episode, here or in a server.
`fleet/` is a thousand cars without forces in one compiled step, which see and do the same.
`shipped` are those that have names, which are registered here.
"""

try:
    import gymnasium
except ImportError as error:
    reason = "environments need Gymnasium: pip install 'autosim[learning]'"
    raise ImportError(reason) from error

_MINUTE = 600
"""Steps of an episode of a minute; Gymnasium's wrapper `TimeLimit` counts them."""

for _name, _make, _steps in (
    ("LaneKeeping", "lane_keeping", _MINUTE),
    ("Town", "town", 4 * _MINUTE),
    ("Parking", "parking", _MINUTE),
    ("Race", "race", 2 * _MINUTE),
    ("Traffic", "traffic", 3 * _MINUTE),
    ("Junction", "junction", 2 * _MINUTE),
    ("Crossing", "crossing", 2 * _MINUTE),
    ("Merge", "merge", 2 * _MINUTE),
    ("Scenario", "scenario", 2 * _MINUTE),
):
    gymnasium.register(
        f"autosim/{_name}-v0",
        entry_point=f"autosim.environments.shipped:{_make}",
        max_episode_steps=_steps,
    )

gymnasium.register(
    "autosim/Benchmark-v0", entry_point="autosim.environments.benchmark_route:BenchmarkEnv"
)

gymnasium.register(
    "autosim/Fleet-v0", vector_entry_point="autosim.environments.fleet.fleet_tasks:fleet"
)
