"""The commands that serve browsers say what is wrong in one line."""

import asyncio
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim.server.network.server_process import ServerProcess
from autosim.web import optional_packages, page_files
from autosim.web.web_gateway import GatewayOptions, OpenedGateway, run_gateway
from tests.server.light_simulation import light_options, light_world
from tests.web.gateways import make_page


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("command", ["server", "replay", "demo", "relay"])
def test_each_command_that_serves_browsers_has_the_option(command: str) -> None:
    assert "--web" in run(command, "--help").output


def test_an_address_that_is_not_one_is_refused() -> None:
    result = run("relay", "lab", "--web", "2081")
    assert result.exit_code == 2
    assert "'lab' is not an address: expected HOST:PORT" in result.output
    result = run("server", "--headless", "--web", "here:now")
    assert result.exit_code == 2
    assert "'here:now' is not an address" in result.output


def test_a_missing_page_is_reported_before_a_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autosim.applications.web.gateways.page_folder", lambda: tmp_path)
    result = run("server", "--headless", "--web", "--port", "1")
    assert result.exit_code == 1
    assert page_files.NOT_BUILT in result.output
    assert len(result.output.splitlines()) == 1


def test_a_server_at_any_port_cannot_serve_browsers() -> None:
    result = run("server", "--headless", "--web", "--port", "0")
    assert result.exit_code == 1
    assert "--web needs the number of the server's port" in result.output


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", lambda name: None)
    result = run("relay", "--web", "2081")
    assert result.exit_code == 1
    assert "pip install 'autosim[web]'" in result.output


def test_a_link_needs_a_gateway_of_the_user() -> None:
    result = run("web", "link", "127.0.0.1:9")
    assert result.exit_code == 1
    assert "no gateway of yours serves browsers at 127.0.0.1:9" in result.output


@pytest.mark.slow
def test_a_relay_serves_until_it_is_ended(tmp_path: Path) -> None:
    with ServerProcess(light_world(1), light_options()) as server:
        options = GatewayOptions(server.address, "127.0.0.1:0", page=make_page(tmp_path / "page"))
        opened: list[OpenedGateway] = []

        def check(gateway: OpenedGateway) -> None:
            opened.append(gateway)
            with urllib.request.urlopen(f"http://{gateway.address}/healthz") as answer:
                assert answer.read() == b"ok\n"

        def on_opened(gateway: OpenedGateway) -> None:
            thread = threading.Thread(target=lambda: (check(gateway), over[0]()))
            thread.start()

        over: list[Callable[[], object]] = []

        def stop(event: asyncio.Event) -> None:
            loop = asyncio.get_running_loop()
            over.append(lambda: loop.call_soon_threadsafe(event.set))

        run_gateway(options, on_opened, stop=stop)
        assert [link.role for link in opened[0].links] == ["control"]
