"""Signal controllers of OpenDRIVE files: what one controls shows the same, here and in exports."""

from pathlib import Path

import pytest
from lxml import etree

from autosim.traffic.signals.exported_signals import opendrive_with_signals
from autosim.traffic.signals.signal_plan import SignalPlan, make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.world_pipeline import build_world
from tests.traffic.signals.junctions import signalled_crossing
from tests.world.opendrive.files import ARMS, crossroads, written

LIGHT = (
    '<signal id="s{}" s="2" t="-6" orientation="-" dynamic="yes" country="OpenDRIVE" '
    'type="1000001" subtype="-1" zOffset="3"/>'
)


def signalled_crossroads(folder: Path, *controllers: tuple[int, ...]) -> CompiledWorld:
    """A crossroads with a light at each arm, and controllers of the lights of some arms."""
    parts = crossroads(signal=LIGHT).split("s{}")
    assert len(parts) == ARMS + 1
    text = parts[0] + "".join(f"s{arm}{part}" for arm, part in enumerate(parts[1:]))
    elements = "".join(
        f'<controller id="c{number}">'
        + "".join(f'<control signalId="s{arm}"/>' for arm in arms)
        + "</controller>"
        for number, arms in enumerate(controllers)
    )
    text = text.replace("<junction", f"{elements}<junction", 1) if elements else text
    return build_world(written(folder / "town.xodr", text))


def plan_of(world: CompiledWorld) -> SignalPlan:
    return make_plan(world, most=MOST_SIGNALS)


def test_lights_of_one_controller_are_one_group(tmp_path: Path) -> None:
    world = signalled_crossroads(tmp_path, (0, 2), (1, 3))
    plan = plan_of(world)
    assert len(plan) == 2
    assert [len(group.lanes) for group in plan.groups] == [2, 2]
    assert list(plan.phases_of(0)) == [(0,), (1,)]
    assert sorted(set(world.roads.traffic.signal_groups.tolist())) == [-1, 0, 1]


def test_without_controllers_each_arm_has_its_group(tmp_path: Path) -> None:
    assert len(plan_of(signalled_crossroads(tmp_path))) == ARMS


def test_lights_in_conflict_are_not_joined(tmp_path: Path) -> None:
    plan = plan_of(signalled_crossroads(tmp_path, (0, 1, 2, 3)))
    assert [len(group.lanes) for group in plan.groups] == [2, 1, 1]
    assert len(plan.apart) == 2


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    return signalled_crossing(tmp_path_factory.mktemp("map"))


def test_an_export_states_controllers_and_their_junction(town: CompiledWorld) -> None:
    document = etree.fromstring(opendrive_with_signals(town))
    plan = plan_of(town)
    vehicles = [group for group in plan.groups if group.lanes]
    controllers = {each.get("id"): each for each in document.findall("controller")}
    assert len(controllers) == len(vehicles) > 1
    signals = {each.get("id") for each in document.iter("signal") if each.get("dynamic") == "yes"}
    controlled = [each.get("signalId") for each in document.iter("control")]
    assert sorted(controlled) == sorted(signals)
    junctions = [each for each in document.iter("junction") if each.find("controller") is not None]
    assert len(junctions) == 1
    named = {each.get("id"): int(each.get("sequence")) for each in junctions[0].iter("controller")}
    assert named.keys() == controllers.keys()
    assert set(named.values()) == {0, 1}


def test_an_export_comes_back_with_the_same_groups(town: CompiledWorld, tmp_path: Path) -> None:
    path = tmp_path / "town.xodr"
    path.write_bytes(opendrive_with_signals(town))
    before, after = plan_of(town), plan_of(build_world(path))
    sizes = [sorted(len(group.lanes) for group in plan.groups) for plan in (before, after)]
    assert sizes[0] == sizes[1]


def test_signs_name_their_country_and_its_catalogue(town: CompiledWorld) -> None:
    document = etree.fromstring(opendrive_with_signals(town))
    for each in document.iter("signal"):
        assert each.get("country") in ("OpenDRIVE", "DE")
        assert each.get("countryRevision") == ("2017" if each.get("country") == "DE" else None)
        assert float(each.get("height")) > 0.3
