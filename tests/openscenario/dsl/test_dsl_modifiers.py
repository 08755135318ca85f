"""Modifiers of movements of OpenSCENARIO DSL, and what is refused by name and line."""

from pathlib import Path

import pytest

from autosim.openscenario.engine.scenario_engine import ScenarioEngine
from tests.openscenario.dsl.dsl_texts import (
    dsl_engine,
    dsl_text,
    refusals_of,
    run_until,
    times_of,
)


def driven(folder: Path, first: str, second: str, seconds: float = 10.0) -> ScenarioEngine:
    """The engine of two phases: `first` of the other car, and `second` of it behind that."""
    return dsl_engine(
        folder,
        dsl_text(f"""serial:
        parallel(duration: {seconds}s):
            ego.drive() with:
                speed(10mps)
                lane(1, at: start)
            npc.drive() with:
                {first}
        parallel(duration: {seconds}s):
            npc.drive() with:
                {second}
"""),
    )


def test_an_actor_reaches_a_place_at_the_end_of_a_phase(tmp_path: Path) -> None:
    engine = driven(
        tmp_path,
        "position(15m, behind: ego, at: start)\n                lane(right_of: ego, at: start)\n"
        "                position(20m, ahead_of: ego, at: end)",
        "keep_lane()",
    )
    ego, npc = engine.entities["ego"], engine.entities["npc"]
    assert ego.pose.x - npc.pose.x == pytest.approx(15.0)
    assert npc.speed == pytest.approx(13.5)
    run_until(engine, 10.0)

    assert npc.pose.x - ego.pose.x == pytest.approx(20.0, abs=0.2)
    assert npc.speed == pytest.approx(13.5, abs=0.05)


def test_a_place_is_reached_evenly_from_another_speed(tmp_path: Path) -> None:
    engine = driven(
        tmp_path,
        "speed(10mps)\n                lane(2)\n"
        "                position(0m, ahead_of: ego, at: start)",
        "position(20m, ahead_of: ego, at: end)",
    )
    run_until(engine, 20.0)

    ego, npc = engine.entities["ego"], engine.entities["npc"]
    assert npc.pose.x - ego.pose.x == pytest.approx(20.0, abs=0.3)
    assert npc.speed == pytest.approx(14.0, abs=0.1)


@pytest.mark.parametrize(
    ("modifier", "speed"),
    [
        ("speed(36kph)", 10.0),
        ("speed(30mps)", 30.0),
        ("speed(30mps, at: end)", 30.0),
        ("change_speed(-10mps)", 10.0),
        ("acceleration(0.5mpss)", 24.0),
        ("acceleration(-4mpss)", 0.0),
        ("speed(same_as: ego)", 10.0),
        ("speed(5mps, faster_than: ego)", 15.0),
        ("speed(5mps, slower_than: ego)", 5.0),
        ("keep_speed()", 20.0),
    ],
)
def test_speeds_at_the_end_of_a_phase(tmp_path: Path, modifier: str, speed: float) -> None:
    engine = driven(tmp_path, "speed(20mps)\n                lane(2)", modifier, 8.0)
    run_until(engine, 16.0)

    assert engine.entities["npc"].speed == pytest.approx(speed, abs=0.1)


@pytest.mark.parametrize(
    ("modifier", "lane"),
    [
        ("lane(same_as: ego, at: end)", -1),
        ("lane(left_of: npc)", -1),
        ("lane(1)", -1),
        ("lane(2)", -2),
        ("lane(side_of: ego, side: right)", -2),
        ("change_lane(lane_changes: [1..1], side: left)", -1),
        ("change_lane(1, side: side_left_right!left)", -1),
    ],
)
def test_lanes_at_the_end_of_a_phase(tmp_path: Path, modifier: str, lane: int) -> None:
    engine = driven(tmp_path, "speed(12mps)\n                lane(2)", modifier)
    run_until(engine, 10.0)
    place = engine.entities["npc"].place
    assert place is not None
    assert place.lane == -2
    run_until(engine, 20.0)

    place = engine.entities["npc"].place
    assert place is not None
    assert place.lane == lane
    assert place.offset == pytest.approx(0.0, abs=0.01)


def test_a_distance_is_kept_and_an_offset_is_taken(tmp_path: Path) -> None:
    engine = driven(
        tmp_path,
        "speed(10mps)\n                position(30m, behind: ego)",
        "lateral(0.5m)",
        15.0,
    )
    run_until(engine, 15.0)
    ego, npc = engine.entities["ego"], engine.entities["npc"]
    assert ego.pose.x - npc.pose.x == pytest.approx(30.0, abs=0.5)
    run_until(engine, 30.0)

    assert npc.place is not None
    assert npc.place.offset == pytest.approx(0.5, abs=0.02)


def test_a_later_phase_may_put_an_actor_at_its_start(tmp_path: Path) -> None:
    engine = driven(
        tmp_path, "speed(20mps)\n                lane(2)", "lane(1, at: start)", seconds=2.0
    )
    run_until(engine, 2.5)

    npc = engine.entities["npc"]
    assert npc.place is not None
    assert npc.place.lane == -1
    assert npc.pose.x == pytest.approx(60.0, abs=0.5)


def test_until_ends_a_movement_and_people_walk(tmp_path: Path) -> None:
    engine = dsl_engine(
        tmp_path,
        dsl_text(
            """serial:
        a: someone.walk() with:
            speed(2mps)
            until elapsed(1.5s)
        b: ego.drive() with:
            speed(10mps)
            until rise(ego.speed > 20mps)
            until elapsed(0.5s)
""",
            "    someone: person\n",
        ),
    )
    run_until(engine, 10.0)

    assert engine.entities["someone"].record.kind == "pedestrian"
    assert times_of(engine, "act a someone.walk: ") == pytest.approx([0.0, 1.5])
    assert times_of(engine, "act b ego.drive: ") == pytest.approx([1.5, 2.0])


def test_actors_have_the_category_of_their_types(tmp_path: Path) -> None:
    text = dsl_text(
        "parallel(duration: 1s):\n            lorry.drive()\n            other.drive()\n",
        "    lorry: heavy\n    other: Model3\n",
        "actor heavy inherits truck\nactor Model3\n",
    )
    engine = dsl_engine(tmp_path, text)

    records = {name: each.record for name, each in engine.entities.items()}
    assert (records["lorry"].category, records["other"].category) == ("truck", "car")
    assert records["lorry"].box.length > records["other"].box.length


ACTIONS = """serial:
        ego.assign_speed(10mps)
        a: ego.change_speed(target: 20mps, rate_peak: 5mpss)
        b: ego.change_lane(num_of_lanes: 1, side: right)
        c: ego.change_speed(5mps, duration: 3s)
        d: ego.follow_lane(duration: 1s)
        e: ego.remain_stationary(duration: 1s)
"""


def test_actions_of_the_standard_library_follow_each_other(tmp_path: Path) -> None:
    engine = dsl_engine(tmp_path, dsl_text(ACTIONS))
    ego = engine.entities["ego"]
    assert ego.speed == pytest.approx(10.0)
    run_until(engine, 30.0)

    starts = [times_of(engine, f"act {each} ego.")[0] for each in "abcde"]
    assert starts == pytest.approx([0.0, 2.0, 6.0, 9.0, 10.0], abs=0.06)
    assert ego.place is not None
    assert ego.place.lane == -2
    assert ego.speed == 0.0


def test_a_gap_is_reached_by_an_action(tmp_path: Path) -> None:
    engine = driven(
        tmp_path,
        "speed(10mps)\n                lane(2)",
        "keep_lane()\n            npc.change_space_gap(30m, behind, ego, duration: 9s)",
    )
    run_until(engine, 19.0)

    ego, npc = engine.entities["ego"], engine.entities["npc"]
    assert ego.pose.x - npc.pose.x == pytest.approx(30.0, abs=0.3)


def one_drive(modifier: str) -> str:
    return dsl_text(f"parallel(duration: 5s):\n        ego.drive() with:\n            {modifier}\n")


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (one_drive("yaw(3rad)"), "11: not executed: 'yaw': is not a modifier that is executed"),
        (
            one_drive("speed(3mps, shape: 1)"),
            "11: not executed: 'speed': the argument 'shape' is not executed",
        ),
        (
            one_drive("speed(3m)"),
            "11: error: 'speed': takes a value of speed, not a quantity (3 m)",
        ),
        (one_drive("speed(3parsec)"), "11: error: 'parsec': is not a unit that is declared"),
        (one_drive("speed(unknown)"), "11: error: 'unknown': is not declared"),
        (one_drive("lane(0)"), "11: error: 'lane': counts lanes from 1, from the left"),
        (
            one_drive("position(time: 2s, behind: npc, at: start)"),
            "11: not executed: 'position': by a time: state a distance",
        ),
        (one_drive("keep(it.color == 1)"), "11: not executed: 'keep': is not executed here"),
        (
            dsl_text("ego.drive()"),
            "9: error: 'drive': has no end: give it, or a behaviour around it, a duration",
        ),
        (dsl_text("ego.fly()"), "9: not executed: 'ego.fly': is not an action that is executed"),
        (
            dsl_text("ego.change_lane(1, duration: 1s)"),
            "9: error: 'change_lane': takes side",
        ),
        (
            dsl_text("ego.change_speed(3mps, rate_profile: 1)"),
            "9: not executed: 'change_speed': the argument 'rate_profile' is not executed",
        ),
        (dsl_text("path.drive(duration: 1s)"), "9: error: 'path': is not an actor that can drive"),
        (
            dsl_text("serial(overlap: 1s):\n        wait elapsed(1s)\n"),
            "9: not executed: 'serial': the argument 'overlap' is not executed",
        ),
        (dsl_text("wait @nothing"), "9: error: 'nothing': is not an event that is declared"),
        (
            dsl_text("wait @e", "    event e\n"),
            "10: error: 'e': is an event that nothing emits",
        ),
        (dsl_text("wait every(3s)"), "9: not executed: 'every': is not executed"),
        (dsl_text("call f()"), "9: not executed: 'call': is not executed"),
        (
            dsl_text("wait ego.height > 3m"),
            "9: not executed: 'height': is not a value of an actor that is observed",
        ),
        (
            dsl_text("wait elapsed(1s)", "    a: int = a + 1\n"),
            "8: error: 'a': has a value that depends on itself",
        ),
        (
            dsl_text("wait elapsed(t)", "    t: time\n"),
            "8: error: 't': has no value: give it one, or name one by --set",
        ),
        (
            dsl_text("wait elapsed(1s)", "    path.path_curve(1)\n"),
            "8: not executed: 'path_curve': is not a modifier that is executed",
        ),
        (
            dsl_text("dut.again()", "", "actor dut\nscenario dut.again:\n    do dut.again()\n"),
            "4: error: 'again': invokes itself",
        ),
        (
            dsl_text(
                "parallel(duration: 1s):\n        ego.drive() with:\n"
                "            position(1m, behind: npc, at: start)\n        npc.drive() with:\n"
                "            position(1m, behind: ego, at: start)\n"
            ),
            "10: error: 'ego': is placed relative to itself",
        ),
    ],
)
def test_what_is_not_executed_is_refused_with_its_line(
    tmp_path: Path, text: str, refusal: str
) -> None:
    found = refusals_of(tmp_path, text)

    assert len(found) == 1, found
    assert found[0].startswith(refusal)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"speed": "1mps"}, "'speed': is not a parameter of the scenario"),
        ({"v": "3 +"}, "'v': takes a value, not 3 +"),
        ({"v": "3m"}, "'v': is of type speed, not a quantity (3 m)"),
        ({"seed": "x"}, "'seed': takes a whole number, not x"),
    ],
)
def test_faulty_values_are_refused(tmp_path: Path, values: dict[str, str], reason: str) -> None:
    text = dsl_text("wait elapsed(1s)", "    v: speed = 3mps\n")

    (found,) = refusals_of(tmp_path, text, **values)
    assert reason in found


def test_scenarios_that_grow_without_measure_are_refused(tmp_path: Path) -> None:
    both = " and ".join(f"(ego.speed > {k}mps or ego.speed < 1mps)" for k in range(30))
    chain = "".join(f"    a{k}: int = a{k + 1} + 1\n" for k in range(2000)) + "    a2000: int = 1\n"
    levels = "".join(
        f"scenario l{k}:\n    do serial:\n        l{k + 1}()\n        l{k + 1}()\n"
        for k in range(18)
    )
    levels += "scenario l18:\n    do wait elapsed(1s)\n"

    (found,) = refusals_of(tmp_path, dsl_text(f"wait {both}"))
    assert "of more than 200 alternatives" in found
    (found,) = refusals_of(tmp_path, dsl_text("wait elapsed(1s)", chain))
    assert "depend on too many" in found
    (found,) = refusals_of(tmp_path, dsl_text("l0()", "", levels))
    assert "has more than 2000 behaviours" in found
