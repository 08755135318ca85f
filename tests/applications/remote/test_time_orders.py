"""The text after an order about time."""

from autosim.applications.remote.time_orders import rewound_text
from autosim.client.link.time_control import SnapshotInfo, TimeInfo

KEPT = (SnapshotInfo("a", 1200, 5.0, 8_000_000), SnapshotInfo("b", 2400, 10.0, 8_000_000))
HINT = "there is nothing older: this is the oldest snapshot"


def run_at(time: float, **changes: object) -> TimeInfo:
    snapshots = changes.get("snapshots", KEPT)
    return TimeInfo(round(time * 240), time, None, snapshots, changes.get("replayed"), "")


def test_a_run_that_goes_back_to_the_time_wanted_says_no_more() -> None:
    assert HINT not in rewound_text(run_at(7.0), 7.0)
    assert HINT not in rewound_text(run_at(5.0), 5.0)


def test_a_run_without_so_old_a_snapshot_says_that_it_is_at_its_oldest() -> None:
    assert rewound_text(run_at(5.0), -1990.0).endswith(HINT)
    assert rewound_text(run_at(5.0), 2.0).endswith(HINT)


def test_going_back_beyond_the_first_step_of_a_run_or_replay_reaches_the_first() -> None:
    first = SnapshotInfo("start", 0, 0.0, 8_000_000)
    assert rewound_text(run_at(0.0, snapshots=(first,)), -3.0).endswith("the beginning of the run")
    assert HINT not in rewound_text(run_at(0.0, snapshots=(first,)), 0.0)
    assert rewound_text(run_at(5.0, snapshots=(), replayed=(1200, 2400)), 1.0).endswith(HINT)
