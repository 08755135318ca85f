"""Execution of OpenSCENARIO DSL: compositions, waits and events, on the engine of the XML."""

from pathlib import Path

import pytest

from tests.openscenario.dsl.dsl_texts import (
    PHASES,
    dsl_engine,
    dsl_text,
    refusals_of,
    run_until,
    times_of,
)


def test_phases_follow_each_other_without_a_gap(tmp_path: Path) -> None:
    engine = dsl_engine(tmp_path, dsl_text(PHASES))
    run_until(engine, 60.0)

    assert times_of(engine, "act first: ") == pytest.approx([0.0, 2.0])
    assert times_of(engine, "act pause: ") == pytest.approx([2.0, 3.5])
    assert times_of(engine, "act second: ") == pytest.approx([3.5, 6.5])
    assert engine.is_stopped
    assert engine.world.time == pytest.approx(6.5, abs=0.02)


def test_actors_begin_where_and_as_fast_as_it_is_stated(tmp_path: Path) -> None:
    engine = dsl_engine(tmp_path, dsl_text(PHASES))
    ego, npc = engine.entities["ego"], engine.entities["npc"]

    assert ego.place is not None
    assert npc.place is not None
    assert (ego.place.lane, npc.place.lane) == (-1, -2)
    assert (ego.speed, npc.speed) == pytest.approx((10.0, 5.0))
    start = ego.pose.x
    run_until(engine, 3.5)
    assert ego.pose.x - start == pytest.approx(35.0)
    run_until(engine, 5.5)
    assert npc.speed == pytest.approx(10.0, abs=0.05)


def test_a_parallel_without_duration_ends_with_its_last_member(tmp_path: Path) -> None:
    engine = dsl_engine(
        tmp_path,
        dsl_text("""serial:
        parallel:
            a: serial(duration: 1s):
                ego.drive()
            b: serial(duration: 2s):
                npc.drive()
        after: wait elapsed(1s)
"""),
    )
    run_until(engine, 60.0)

    assert times_of(engine, "act after: ") == pytest.approx([2.0, 3.0])


def test_the_end_of_a_phase_ends_what_is_in_it(tmp_path: Path) -> None:
    engine = dsl_engine(
        tmp_path,
        dsl_text("""outer: serial(duration: 1s):
            inner: parallel(duration: 5s):
                ego.drive() with:
                    speed(10mps)
            never: wait elapsed(1s)
"""),
    )
    run_until(engine, 60.0)

    assert times_of(engine, "act inner: ") == pytest.approx([0.0, 1.0])
    assert not times_of(engine, "act never: startTransition")


def test_one_alternative_is_chosen_by_the_seed(tmp_path: Path) -> None:
    text = dsl_text("""one_of:
        parallel(duration: 1s):
            ego.drive() with:
                speed(1mps)
        parallel(duration: 1s):
            ego.drive() with:
                speed(2mps)
""")
    speeds = {dsl_engine(tmp_path, text, seed=str(seed)).entities["ego"].speed for seed in range(8)}
    again = {dsl_engine(tmp_path, text, seed="3").entities["ego"].speed for _ in range(3)}

    assert speeds == {1.0, 2.0}
    assert len(again) == 1


EVENTS = """parallel(duration: 10s):
            serial:
                wait elapsed(2s)
                emit far(distance: 3m)
                wait elapsed(1s)
            serial:
                waits: wait @far
                stop: parallel(duration: 1s):
                    npc.drive() with:
                        speed(0mps)
            ego.drive() with:
                speed(10mps)
"""


def test_an_event_ends_a_wait(tmp_path: Path) -> None:
    text = dsl_text(EVENTS, "    event far(distance: length)\n")
    engine = dsl_engine(tmp_path, text)
    run_until(engine, 4.0)

    assert times_of(engine, "act waits: ") == pytest.approx([0.0, 2.0], abs=0.011)
    assert times_of(engine, "act stop: startTransition") == pytest.approx([2.0], abs=0.011)


@pytest.mark.parametrize(
    ("condition", "time"),
    [
        ("ego.speed >= 5mps", 0.0),
        ("rise(ego.speed >= 14mps)", 4.0),
        ("ego.speed > npc.speed and not ego.speed < 12mps", 2.0),
        ("ego.object_distance(npc, direction: longitudinal) > 40m", 3.42),
        ("ego.speed in [12mps..13mps]", 2.0),
        ("1 > 2 or elapsed_speed > 5mps or ego.speed >= 13mps", 3.0),
        ("@quick", 3.0),
    ],
)
def test_waits_for_conditions_on_actors(tmp_path: Path, condition: str, time: float) -> None:
    text = dsl_text(
        f"""parallel(duration: 20s):
            ego.drive() with:
                speed(10mps)
                acceleration(1mpsps)
            npc.drive() with:
                speed(0mps)
                lane(2)
            serial:
                wait {condition}
                reached: wait elapsed(1s)
""",
        "    elapsed_speed: speed = 3mps\n    event quick is ego.speed >= 13mps\n",
    )
    engine = dsl_engine(tmp_path, text)
    run_until(engine, 8.0)

    found = times_of(engine, "act reached: startTransition")
    assert found == pytest.approx([time], abs=0.25)


def test_scenarios_invoke_others_with_arguments(tmp_path: Path) -> None:
    engine = dsl_engine(
        tmp_path,
        dsl_text(
            "serial:\n        dut.pull(a: long, v: twice(5mps))\n",
            "    long: time = 4s\n    def twice(x: speed) -> speed is expression 2 * x\n",
            """actor dut
scenario dut.pull:
    ego: car
    a: time
    v: speed
    b: time = a / 2
    keep(b < a)
    do serial:
        one: parallel(duration: a):
            ego.drive() with:
                speed(v)
        two: wait elapsed(b)
""",
        ),
    )
    run_until(engine, 60.0)

    assert list(engine.entities) == ["ego"]
    assert engine.entities["ego"].speed == pytest.approx(10.0)
    assert times_of(engine, "act two: ") == pytest.approx([4.0, 6.0])


def test_a_scenario_of_vehicles_is_one_of_cars(tmp_path: Path) -> None:
    engine = dsl_engine(
        tmp_path,
        dsl_text(
            "parallel(duration: 3s):\n        ego.follow(other: npc)\n        npc.drive() with:\n"
            "            speed(5mps)\n",
            "",
            """scenario vehicle.follow:
    other: vehicle
    do serial:
        drive(duration: 1s) with:
            speed(4mps)
            position(9m, behind: other, at: start)
        drive() with:
            until other.object_distance(reference: other) > 1m
""",
        ),
    )
    ego, npc = engine.entities["ego"], engine.entities["npc"]
    assert npc.pose.x - ego.pose.x == pytest.approx(9.0)
    run_until(engine, 10.0)

    assert list(engine.entities) == ["ego", "npc"]
    assert times_of(engine, "act ego.drive: ") == pytest.approx([0.0, 1.0])
    assert engine.world.time == pytest.approx(3.0, abs=0.02)


def test_values_are_set_drawn_and_kept_in_their_ranges(tmp_path: Path) -> None:
    members = """    v: speed
    keep(v in [10mps..20mps])
    w: speed
    keep(default w == 3mps)
"""
    text = dsl_text(
        "parallel(duration: 1s):\n            ego.drive() with:\n"
        "                speed(v)\n            npc.drive() with:\n"
        "                speed(w)\n                lane(2)\n",
        members,
    )
    drawn = dsl_engine(tmp_path, text).entities
    stated = dsl_engine(tmp_path, text, v="12mps", w="36kph").entities

    assert 10.0 <= drawn["ego"].speed <= 20.0
    assert drawn["npc"].speed == pytest.approx(3.0)
    assert stated["ego"].speed == pytest.approx(12.0)
    assert stated["npc"].speed == pytest.approx(10.0)
    assert refusals_of(tmp_path, text, v="30mps") == [
        "9: error: 'keep': is violated by the values of the parameters"
    ]


def test_an_actor_that_moves_later_is_added_then(tmp_path: Path) -> None:
    engine = dsl_engine(
        tmp_path,
        dsl_text("""serial:
        parallel(duration: 1s):
            ego.drive() with:
                speed(10mps)
        parallel(duration: 1s):
            npc.drive() with:
                speed(10mps)
                position(20m, ahead_of: ego, at: start)
"""),
    )
    assert not engine.entities["npc"].is_active
    run_until(engine, 1.5)

    npc, ego = engine.entities["npc"], engine.entities["ego"]
    assert npc.is_active
    assert npc.pose.x - ego.pose.x == pytest.approx(20.0, abs=0.2)
