"""What a command settles for its process."""

import atexit
import gc
import os

import pytest

from autosim.process import prepare_process


@pytest.fixture(autouse=True)
def untouched(monkeypatch):
    """The environment as it was afterwards, and nothing left to do at the end of the tests."""
    monkeypatch.setenv("GRPC_VERBOSITY", "NONE")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    yield
    atexit.unregister(gc.freeze)


def test_small_matrices_take_one_processor():
    prepare_process()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_what_the_user_has_set_prevails(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    prepare_process()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"
