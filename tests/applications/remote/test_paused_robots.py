"""While a simulation stands still, whoever looks at it sees that its robots are paused."""

from autosim.applications.remote import server_orders, value_orders
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess


def test_a_robot_is_ready_then_active_and_paused_while_the_simulation_stands_still():
    options = ServerOptions(address="127.0.0.1:0", is_safe=True)
    with ServerProcess(load_world("worlds/yard.xml"), options) as server:

        def state() -> str:
            return value_orders.get(server.address, ["scout.device_state"], as_json=False)

        assert state() == "scout.device_state READY"
        server_orders.step(server.address, 2)
        assert state() == "scout.device_state PAUSED"
        server_orders.run(server.address, steps=0, pace=0.1)
        assert state() == "scout.device_state ACTIVE"
        server_orders.pause(server.address)
        assert state() == "scout.device_state PAUSED"
