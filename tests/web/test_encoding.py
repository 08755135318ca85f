"""States become packets that any decoder can turn back, each once for all viewers."""

import numpy as np
import pytest

from autosim.model.state import State
from autosim.web.streaming.encoding import KEY_SECONDS, StateEncoder
from autosim.web.streaming.packets import (
    HEADER,
    MOST,
    NOT_A_NUMBER,
    MalformedPayloadError,
    StreamKind,
    quantise,
    read_runs,
    room_for,
    write_runs,
)
from autosim.web.streaming.state_channels import EXACT, channels_of, quanta_of, words_of
from tests.web.packet_vectors import decoded, sample_tree, vectors


def test_a_state_comes_back_within_half_a_quantum_of_each_word() -> None:
    tree = sample_tree()
    state = State(tree)
    encoder = StateEncoder(tree)
    words, quanta = words_of(encoder.channels), quanta_of(encoder.channels)
    random = np.random.default_rng(1)
    is_exact = quanta == EXACT
    state.floats[words[~is_exact]] = random.normal(scale=300.0, size=(~is_exact).sum())
    state.ints[words[is_exact]] = random.integers(-(2**62), 2**62, size=is_exact.sum())
    frame = encoder.encode(state.buffer, now=0.0, is_standing=False)
    values = decoded(frame.key, encoder.channels, np.zeros(len(words), dtype=np.int64))
    assert np.array_equal(values[is_exact], state.ints[words[is_exact]])
    error = np.abs(values * quanta - state.floats[words])[~is_exact]
    assert np.all(error <= 0.5001 * quanta[~is_exact])


def test_a_delta_needs_the_key_alone_and_is_short_where_little_changes() -> None:
    tree = sample_tree()
    state = State(tree)
    state.floats[2:] = np.random.default_rng(2).normal(scale=50.0, size=len(state.floats) - 2)
    encoder = StateEncoder(tree)
    key = encoder.encode(state.buffer, now=0.0, is_standing=False)
    zeros = np.zeros(len(words_of(encoder.channels)), dtype=np.int64)
    base = decoded(key.key, encoder.channels, zeros)
    for step in range(1, 5):
        state.ints[0] = step
        state.floats[tree.children[0].children[0].start // 8] += 0.25
        frame = encoder.encode(state.buffer, now=0.1 * step, is_standing=False)
    assert frame.delta is not None
    assert frame.key_number == key.key_number
    assert decoded(frame.delta, encoder.channels, base)[2 + 1] == base[3] + 1000
    assert len(frame.delta) < 30


def test_a_new_key_comes_after_two_seconds_and_when_time_goes_back() -> None:
    tree = sample_tree()
    state = State(tree)
    encoder = StateEncoder(tree)

    def number(step: int, now: float) -> int:
        state.ints[0] = step
        return encoder.encode(state.buffer, now=now, is_standing=False).key_number

    state.floats[2:] = 1.0
    first = number(10, 0.0)
    assert number(11, 0.9 * KEY_SECONDS) == first
    assert number(12, 1.1 * KEY_SECONDS) == first + 1
    assert number(5, 1.2 * KEY_SECONDS) == first + 2


def test_a_delta_is_never_longer_than_a_key() -> None:
    tree = sample_tree()
    state = State(tree)
    encoder = StateEncoder(tree)
    state.floats[2:] = 1.0
    encoder.encode(state.buffer, now=0.0, is_standing=False)
    state.floats[2:] = 1e12
    assert encoder.encode(state.buffer, now=0.1, is_standing=False).delta is None


def test_numbers_that_are_not_finite_have_integers_of_their_own() -> None:
    floats = np.array([np.nan, np.inf, -np.inf, 1e300, 0.25])
    out = np.zeros(5, dtype=np.int64)
    quantise(floats, floats.view(np.int64), np.arange(5), np.full(5, 0.5), out)
    assert out.tolist() == [NOT_A_NUMBER, MOST, -MOST, MOST, 0]


@pytest.mark.parametrize("density", [0.0, 0.1, 0.6, 1.0])
def test_runs_of_any_pattern_come_back(density: float) -> None:
    random = np.random.default_rng(3)
    base = random.integers(-(2**62), 2**62, size=300)
    changed = random.random(300) < density
    values = np.where(changed, random.integers(-(2**62), 2**62, size=300), base)
    out = np.zeros(room_for(300), dtype=np.uint8)
    payload = out[: write_runs(values, base, out)].tobytes()
    assert np.array_equal(read_runs(payload, base), values)


@pytest.mark.parametrize("payload", [b"\0", b"\0\5\1", b"\377" * 12, b"\0\77" + b"\1" * 63])
def test_malformed_payloads_are_refused(payload: bytes) -> None:
    with pytest.raises(MalformedPayloadError):
        read_runs(payload, np.zeros(20, dtype=np.int64))


def test_traffic_is_sent_column_by_column_with_room_for_all_rows() -> None:
    tree = sample_tree()
    traffic = tree.find("traffic")
    assert traffic is not None
    channels = channels_of(tree)
    columns = [each for each in channels if each.stride == 12 * 8]
    assert [each.offset - traffic.start for each in columns] == [8 * k for k in range(12)]
    assert {each.words for each in columns} == {4}


def test_vectors_for_other_decoders_hold_keys_deltas_and_words() -> None:
    content = vectors()
    packets = content["packets"]
    assert isinstance(packets, list)
    kinds = [each["kind"] for each in packets]
    assert set(kinds) == set(StreamKind)
    first = bytes.fromhex(packets[0]["bytes"])
    assert HEADER.unpack_from(first)[0] == StreamKind.KEY
