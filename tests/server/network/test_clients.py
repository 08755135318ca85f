"""The list of connected clients."""

from autosim.server.network.clients import MAX_NAME_CHARACTERS, ClientRecord, Clients
from autosim.v1 import autosim_pb2 as pb


def test_a_client_is_listed_for_as_long_as_it_is_served():
    clients = Clients()
    request = pb.SubscribeRequest(client="viewer", rate_hz=60.0)
    with clients.admit(request, "ipv4:127.0.0.1:5", every=4) as record:
        record.count(4, 100, delay=0.25)
        record.count(8, 100, delay=0.5)
        (listed,) = clients.to_message().clients
        assert len(clients) == 1
    assert len(clients) == 0
    assert (listed.name, listed.peer, listed.rate_hz) == ("viewer", "ipv4:127.0.0.1:5", 60.0)
    assert (listed.updates, listed.bytes, listed.skipped) == (2, 200, 0)
    assert listed.delay_ms == 500.0


def test_states_at_the_clients_rate_that_it_did_not_get_are_skipped():
    record = ClientRecord("", "", rate_hz=60.0, every=4)
    for step in (0, 4, 16, 17):
        record.count(step, 1, delay=0.0)
    assert record.skipped == 2


def test_a_name_is_not_longer_than_people_read():
    clients = Clients()
    with clients.admit(pb.SubscribeRequest(client="x" * 5000), "", every=1) as record:
        assert len(record.name) == MAX_NAME_CHARACTERS
