"""Text messages of the stream: what the gateway sends first, and what pages may send."""

import json
import math
from dataclasses import dataclass

from autosim.web.streaming.encoding import StateEncoder
from autosim.web.viewer_limits import VIEWER_LIMITS

_MAX_RATE = 240.0
"""Largest rate [Hz] that a page may ask for; it gets at most what the gateway takes."""

_LONGEST_NAME = 500
"""Characters of the name of a node at most."""


class BadMessageError(Exception):
    """A message of a page that is not understood; the message says why."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first message of a page: the token of its session, and its rate [Hz]."""

    token: str
    rate_hz: float
    """States per second of simulated time, at most."""
    wants_state: bool
    """Whether states are sent, or only other messages."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A request for the values of some nodes; `number` comes back with them."""

    names: tuple[str, ...]
    """Names of the nodes in the tree."""
    number: int


def hello_of(encoder: StateEncoder, *, step_seconds: float) -> dict[str, object]:
    """The first message to a viewer, and each time that the world has changed.

    Args:
        encoder: of the world's states.
        step_seconds: simulated time of a step [s].
    """
    return {
        "layout_digest": encoder.tree.digest,
        "step_seconds": step_seconds,
        "state_bytes": encoder.tree.stop,
        "channels": [list(each) for each in encoder.channels],
    }


def read_opening(text: str) -> Opening:
    """The first message of a page on a stream.

    Raises:
        BadMessageError: it is not one.
    """
    content = _object(text)
    token = content.get("token")
    rate = content.get("rate_hz", 20.0)
    if not isinstance(token, str):
        raise BadMessageError("the first message has no token")
    if not _is_number(rate) or not 0.0 < float(rate) <= _MAX_RATE:  # type: ignore[arg-type]
        raise BadMessageError(f"rate_hz is not a number up to {_MAX_RATE:g}")
    return Opening(token, float(rate), content.get("wants_state") is True)  # type: ignore[arg-type]


def read_watch(text: str) -> Watch:
    """A later message of a page on the stream.

    Raises:
        BadMessageError: it is not one.
    """
    content = _object(text)
    names = content.get("watch")
    number = content.get("number", 0)
    if not isinstance(names, list) or len(names) > VIEWER_LIMITS.watched_names:
        raise BadMessageError(f"watch is not a list of at most {VIEWER_LIMITS.watched_names} names")
    if not all(isinstance(each, str) and len(each) <= _LONGEST_NAME for each in names):
        raise BadMessageError("watch holds something that is not a name")
    if not isinstance(number, int) or not 0 <= number < 2**16:
        raise BadMessageError("number is not an integer below 65536")
    return Watch(tuple(names), int(number))


def _object(text: str) -> dict[str, object]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadMessageError("not JSON") from error
    if not isinstance(content, dict):
        raise BadMessageError("not a JSON object")
    return content


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
