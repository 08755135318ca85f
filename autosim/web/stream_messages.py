"""Text messages of the stream: what the gateway sends first, and what pages may send."""

from autosim.web.encoding import StateEncoder


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
