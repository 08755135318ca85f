"""The page for browsers: its own tests, and the built page in Chromium with a real server."""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from autosim.applications.remote.value_orders import open_mirror
from autosim.web.page_files import RECORDING
from tests.paths import ROOT
from tests.web.built_page import BUILD, built_page
from tests.web.packet_vectors import vectors
from tests.web.recorded_run import write_page

TOWN = "worlds/circle_town.xml"
KEEPING = ("--snapshot-interval", "2")
RECORDS = ROOT / "records"
"""Folder in which a server that runs in the checkout records."""
MINUS = "\N{MINUS SIGN}"
PAGE = ROOT / "autosim" / "web" / "page"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr") or ""
DISPLAY = shutil.which("xvfb-run") or ""


def run_script(*words: str, before: tuple[str, ...] = (), **variables: str) -> str:
    """The output of a script of web/package.json; fails where it fails.

    Args:
        words: name of the script, and what follows it.
        before: command that runs the script.
        variables: of its environment.
    """
    done = subprocess.run(
        (*before, *BUILD, "run", *words),
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def served_link(world: str, log: Path, *options: str) -> Iterator[tuple[str, str]]:
    """The first link of a server with a gateway, as a user starts it, and the server's address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    words = ("--headless", "--port", port, *options, "--web", "127.0.0.1:0")
    command = [sys.executable, "-m", "autosim", "server", world, *words]
    with log.open("w") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    try:
        link = None
        while (link is None or "\nserving" not in log.read_text()) and server.poll() is None:
            link = re.search(r"http://\S+#key=\S+", log.read_text())
            time.sleep(0.1)
        assert link is not None, log.read_text()
        yield link[0], f"127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


def seen_by_a_client(address: str, *, step: int) -> dict[str, object]:
    """The step, digest and position of the car that a client over gRPC has after `step` steps."""
    with open_mirror(address) as mirror:
        mirror.connection.step(step)
        mirror.connection.wait_until(lambda: mirror.take() and mirror.state.step == step, 60.0)
        position = np.asarray(mirror.state.get("impreza.chassis.position"))
        return {
            "step": mirror.state.step,
            "digest": mirror.connection.report().state_digest,
            "position": "  ".join(
                f"{each:.4f}".replace("-", "\N{MINUS SIGN}") for each in position
            ),
        }


def test_decoder_values_and_driving(tmp_path: Path) -> None:
    built_page()
    file = tmp_path / "packets.json"
    file.write_text(json.dumps(vectors()))
    assert "passed" in run_script("test", AUTOSIM_PACKETS=str(file))


def test_the_page_names_no_other_host() -> None:
    built_page()
    text = (PAGE / "index.html").read_text()
    assert "http" not in text
    assert "<script>" not in text, "the policy of the gateway allows no script in the page itself"
    assert {"index.html", "index.html.br", "index.html.gz"} <= {
        each.name for each in PAGE.iterdir()
    }


def test_the_page_takes_three_megabytes_at_most() -> None:
    built_page()
    size = sum(each.stat().st_size for each in PAGE.rglob("*.br"))
    size += sum(each.stat().st_size for each in PAGE.rglob("*.woff2"))
    assert size < 3_000_000


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
def test_a_browser_watches_drives_and_controls(tmp_path: Path) -> None:
    built_page()
    with served_link(TOWN, tmp_path / "server.log", *KEEPING) as (link, _):
        run_script("end-to-end", "page", AUTOSIM_LINK=link, AUTOSIM_CHROMIUM=CHROMIUM)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not FIREFOX or not DISPLAY, reason="Firefox or Xvfb is not installed")
def test_firefox_shows_the_town_and_drives(tmp_path: Path) -> None:
    built_page()
    display = (DISPLAY, "-a", "-s", "-screen 0 1280x900x24")
    # Firefox draws by the processor, too: on a busy machine its driver answers late.
    town, patient = (ROOT / TOWN).read_text(), tmp_path / "circle_town.xml"
    assert town.count('side="server"') == 1
    patient.write_text(town.replace('side="server"', 'side="client" deadline="60"'))
    with served_link(str(patient), tmp_path / "server.log") as (link, _):
        run_script(
            "end-to-end", "firefox", before=display, AUTOSIM_LINK=link, AUTOSIM_FIREFOX=FIREFOX
        )


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
def test_a_browser_arranges_robots_sets_actuators_records_and_drives_by_gamepad_and_touch(
    tmp_path: Path,
) -> None:
    built_page()
    before = set(RECORDS.glob("*"))
    try:
        with served_link(TOWN, tmp_path / "server.log") as (link, _):
            run_script("end-to-end", "controls", AUTOSIM_LINK=link, AUTOSIM_CHROMIUM=CHROMIUM)
        made = set(RECORDS.glob("*")) - before
        assert made
    finally:
        for each in set(RECORDS.glob("*")) - before:
            each.unlink()
        if RECORDS.exists() and not any(RECORDS.iterdir()):
            RECORDS.rmdir()


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
def test_a_browser_shows_overlays_in_its_picture(tmp_path: Path) -> None:
    built_page()
    with served_link("tests/web/overlay_world.xml", tmp_path / "server.log") as (link, _):
        run_script("end-to-end", "overlays", AUTOSIM_LINK=link, AUTOSIM_CHROMIUM=CHROMIUM)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
def test_two_browsers_and_a_client_see_the_same_digest(tmp_path: Path) -> None:
    built_page()
    with served_link(TOWN, tmp_path / "server.log", "--paused") as (link, address):
        seen = seen_by_a_client(address, step=240)
        run_script(
            "end-to-end",
            "digest",
            AUTOSIM_LINK=link,
            AUTOSIM_SEEN=json.dumps(seen),
            AUTOSIM_CHROMIUM=CHROMIUM,
        )


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
def test_a_browser_plays_a_recording_from_disk(tmp_path: Path) -> None:
    built_page()
    file = str(write_page(tmp_path / "run.html"))
    run_script("end-to-end", "recording", AUTOSIM_RECORDING=file, AUTOSIM_CHROMIUM=CHROMIUM)


def test_the_page_of_a_recording_lets_in_one_script_and_no_network() -> None:
    built_page()
    text = (PAGE / RECORDING).read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert policy is not None
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' 'wasm-unsafe-eval'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "http" not in policy[1]
    assert text.count("<!-- data -->") == 1
