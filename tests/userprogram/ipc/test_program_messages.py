"""The messages of user programs fit into packets."""

import pytest

from autosim.config.descriptions import MOST_PUBLISHED
from autosim.model.commands import Command
from autosim.userprogram.ipc.channel import MAXIMUM_PACKET
from autosim.userprogram.ipc.program_messages import MORE_FOLLOWS, commands_of, wait_messages


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_the_largest_lists_that_a_program_publishes_fit_into_packets(count: int):
    name = f"{'r' * 64}.{'p' * 64}"
    commands = [Command(f"{name}{number}", bytes(8 * MOST_PUBLISHED)) for number in range(count)]
    messages = list(wait_messages(commands, 7))
    assert max(message.ByteSize() for message in messages) <= MAXIMUM_PACKET
    assert [each for message in messages for each in commands_of(message.wait)] == commands
    assert [message.wait.until_step for message in messages] == [
        *[MORE_FOLLOWS] * (len(messages) - 1),
        7,
    ]
