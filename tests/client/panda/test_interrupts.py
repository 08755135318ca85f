"""Ctrl-C while something is drawn."""

import signal

import pytest

from autosim.client.panda.interrupts import without_interrupts


def test_ctrl_c_counts_when_what_is_drawn_is_done():
    done = []

    def draw():
        with without_interrupts():
            signal.raise_signal(signal.SIGINT)
            done.append("to the end")
        done.append("and on")

    with pytest.raises(KeyboardInterrupt):
        draw()
    assert done == ["to the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
