"""A record is shown to clients as a simulation is, in any order of its steps."""

from pathlib import Path

from autosim.server.network.front import ServerOptions
from tests.records.runs import LightReplay, record_run, with_a_gap
from tests.server.gateway_clients import Actions as ControlActions
from tests.server.gateway_clients import refusal
from tests.server.light_simulation import light_options, light_world
from tests.server.network.test_snapshots import Actions, TimeClient, play


def test_clients_see_a_record_forwards_backwards_and_at_any_step(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    states = record_run(path, 200)

    async def test(client: TimeClient) -> None:
        report = await client.order(Actions.REPORT)
        assert report.is_replay
        assert (report.first_step, report.last_step) == (0, 200)
        seen = aiter(client.states())
        assert (await anext(seen)).step == 0
        await client.step(1)
        packet = await anext(seen)
        assert bytes(packet.state) == states[1]
        for step in (150, 20, 999):
            await client.order(Actions.SEEK, step=step)
            packet = await anext(seen)
            assert bytes(packet.state) == states[min(step, 200)]
        await client.order(Actions.PLAY_BACK, seconds=0.0)
        while packet.step:
            packet = await anext(seen)
            assert bytes(packet.state) == states[packet.step]
        status = await client.control(ControlActions.RUN, real_time_factor=0.0)
        while packet.step < 200:
            packet = await anext(seen)
        while status.phase != status.PAUSED:
            status = await client.control(ControlActions.STATUS)

    play(test, light_world(2), replay_options(path))


def replay_options(path: Path) -> ServerOptions:
    name = f"{LightReplay.__module__}:{LightReplay.__qualname__}"
    return ServerOptions("127.0.0.1:0", simulation=name, replay=path)


def test_a_replay_goes_back_by_seconds_and_names_no_digest_of_what_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    record_run(path, 200)

    async def test(client: TimeClient) -> None:
        await client.order(Actions.SEEK, step=150)
        report = await client.order(Actions.REWIND, seconds=0.25)
        assert report.status.step == 90
        assert not report.state_digest
        assert (await client.order(Actions.REWIND, seconds=9.0)).status.step == 0

    play(test, light_world(2), replay_options(path))


def test_what_only_a_simulation_can_do_is_refused_with_what_helps(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    record_run(path, 20)

    async def test(client: TimeClient) -> None:
        for action, advice in (
            (Actions.RECORD, "recorded already"),
            (Actions.SNAPSHOT, "autosim ctl seek"),
            (Actions.SAVE_SNAPSHOT, f"autosim branch {path}@0"),
        ):
            text = (await refusal(client.order(action, name="a")))[1]
            assert f"this is a replay of {path}" in text
            assert advice in text

    play(test, light_world(2), replay_options(path))


def test_a_replay_passes_over_a_gap(tmp_path: Path) -> None:
    path, whole = tmp_path / "run.mcap", tmp_path / "whole.mcap"
    record_run(path, 200)
    with_a_gap(path, whole)
    replay = LightReplay(light_world(2), path=whole)
    shown = []
    for step, is_backwards in ((99, False), (99, True), (120, True), (160, True)):
        replay.seek(step)
        replay.is_backwards = is_backwards
        replay.advance()
        shown.append(replay.state.step)
    replay.close()
    assert shown == [150, 98, 99, 159]


def test_a_live_simulation_cannot_be_sought_through() -> None:
    async def test(client: TimeClient) -> None:
        for action in (Actions.SEEK, Actions.PLAY_BACK):
            assert "only a replay" in (await refusal(client.order(action)))[1]

    play(test, light_world(), light_options())
