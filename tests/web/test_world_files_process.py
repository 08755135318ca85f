"""Files of the world come from their own process, for sessions only."""

from pathlib import Path

import pytest

from autosim.server.network.server_process import ServerProcess
from tests.server.light_simulation import light_options, light_world
from tests.web.gateways import Gateway, with_gateway


@pytest.mark.slow
def test_a_world_that_cannot_be_fetched_is_a_reason_and_no_stream_waits(tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        manifest = gateway.url("/world/manifest.json")
        async with gateway.client.get(manifest) as answer:
            assert answer.status == 401
        token = await gateway.token()
        headers = {"Authorization": f"Bearer {token}"}
        async with gateway.page(token) as page:
            await page.receive_until(lambda: page.step >= 0)
            async with gateway.client.get(manifest, headers=headers) as answer:
                assert answer.status == 503
                assert (await answer.json())["error"]
            assert not page.stream.closed

    with ServerProcess(light_world(1), light_options()) as server:
        with_gateway(server.address, tmp_path, check)
