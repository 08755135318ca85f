"""`autosim alpasim`."""

import re
import signal
import subprocess
from pathlib import Path

import grpc
from click.testing import CliRunner

from autosim.alpasim.grpc_services import calls_of
from autosim.alpasim.wire import common_pb2, physics_pb2
from autosim.cli.alpasim import alpasim
from tests.commands import AUTOSIM
from tests.paths import ROOT

WORLD = str(ROOT / "worlds" / "circle_town.xml")


def test_the_command_serves_until_it_is_interrupted() -> None:
    command = [*AUTOSIM, "alpasim", WORLD, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        found = (re.search(r"scene 'circle_town' at 127\.0\.0\.1:(\d+)", each) for each in lines)
        port = next(each[1] for each in found if each)
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            calls = calls_of(channel, physics_pb2.DESCRIPTOR.services_by_name["PhysicsService"])
            scenes = calls["get_available_scenes"](common_pb2.Empty())
        assert list(scenes.scene_ids) == ["circle_town"]
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        process.wait(60)
    assert "Traceback" not in rest


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    for words, reason in (
        ([str(tmp_path / "none.xml")], "none.xml"),
        ([WORLD, "--driver", "127.0.0.1:1"], "the driver at 127.0.0.1:1: get_version"),
        ([WORLD, "--address", "203.0.113.1"], "AlpaSim's services cannot listen at 203.0.113.1"),
    ):
        done = CliRunner().invoke(alpasim, words)
        assert done.exit_code != 0
        assert reason in done.output
        assert "Traceback" not in done.output
