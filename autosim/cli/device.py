"""`autosim device`."""

from pathlib import Path

import click

from autosim.cli.cli_options import echo_escaped, example, explain_errors


@click.group()
def device() -> None:
    """Kinds of devices of your own."""


@device.command(epilog=example("autosim device new bow_thruster", "pytest plugins"))
@click.argument("name")
@explain_errors
def new(name: str) -> None:
    """Writes a plug-in NAME with a test that passes, and a robot that has the device.

    They go into the folders plugins and robots below the working directory. What is already there
    is never overwritten.
    """
    from autosim.applications.run.new_device import new_device

    for path in new_device(name, Path()):
        echo_escaped(f"wrote {path}")
    echo_escaped(f"see that it works: pytest plugins/test_{name}.py")
    echo_escaped(f'put it into a world: <Robot name=…><File path="robots/{name}.xml"/></Robot>')
