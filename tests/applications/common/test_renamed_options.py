"""An option under its former name is refused with the name that it has now."""

import click
import pytest
from click.testing import CliRunner

from autosim.cli import main
from autosim.cli.cli_options import RENAMED


def options_of(command: click.Command) -> set[str]:
    """All options of a command and of those below it."""
    own = {name for each in command.params for name in each.opts}
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return own.union(*map(options_of, below))


@pytest.mark.parametrize(
    ("call", "old", "new"),
    [
        (("server",), "--safe", "--no-programs"),
        (("ctl", "load"), "--safe", "--no-programs"),
        (("server",), "--keep", "--snapshot-interval"),
        (("sweep", "show"), "--by", "--group-by"),
        (("testbench", "fit"), "--by", "--criterion"),
    ],
)
def test_a_renamed_option_is_refused_with_its_present_name(call, old, new):
    result = CliRunner().invoke(main, [*call, old, "x"])
    assert result.exit_code == 2
    assert f"No such option '{old}': it is called '{new}' now." in result.output
    assert "Did you mean" not in result.output


def test_a_former_name_is_no_matter_to_commands_that_never_had_it():
    assert "called" not in CliRunner().invoke(main, ["drive", "--keep", "5"]).output


def test_other_options_are_suggested_by_their_likeness():
    output = CliRunner().invoke(main, ["server", "--snapshot-intervall", "5"]).output
    assert "Did you mean '--snapshot-interval'?" in output


def test_the_present_names_are_there():
    assert {each for names in RENAMED.values() for each in names} <= options_of(main)
