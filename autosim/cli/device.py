"""`autosim device`."""

from pathlib import Path

import click

from autosim.cli.cli_options import echo_escaped, example, explain_errors


@click.group()
def device() -> None:
    """Creates your own kinds of devices."""


@device.command(epilog=example("autosim device new bow_thruster", "pytest plugins"))
@click.argument("name")
@explain_errors
def new(name: str) -> None:
    """Writes a plug-in NAME with a passing test, and a robot that has the device.

    They go into the folders plugins/ and robots/ of the working directory. Existing files are never
    overwritten.
    """
    from autosim.applications.run.new_device import new_device

    for path in new_device(name, Path()):
        echo_escaped(f"wrote {path}")
    echo_escaped(f"test it: pytest plugins/test_{name}.py")
    echo_escaped(f'use it in a world: <Robot name=…><File path="robots/{name}.xml"/></Robot>')
