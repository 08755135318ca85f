"""Names that mean something in every robot."""

STATES = ("state", "state_truth")
"""Belief and truth of a robot's motion: nodes directly under the robot."""


def reserved_reason(name: str) -> str:
    """Why nothing else can be called `name`, one of `STATES`."""
    return f"'{name}' is the name of what the robot believes or of what is true; choose another one"
