"""The limits on what one peer may ask of a server, each with its unit and its reason."""

from dataclasses import dataclass

from autosim.config.schemas.requests import MOST


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that keep one peer from holding up all others; `docs/limits.md` tells them to users.

    The messages of a peer cost the front or the simulation time and memory, and both serve all
    peers with one thread.
    """

    request_bytes: int = 256 * 1024
    """[bytes] of a message to the server: the longest, a thousand commands, takes 100 kB."""

    connection_calls: int = 256
    """[calls and streams] of one connection at a time: a client that runs a program for each of two
    hundred robots has a stream for each."""

    guest_calls: int = 2000
    """[calls and streams] of all tokens to view or to drive at a time: each costs the front some
    50 kB."""

    host_calls: int = 1000
    """[calls and streams] of one address with these tokens: half of all, so that no machine locks
    out the others."""

    token_calls: int = 500
    """[calls and streams] of one token: a client with two hundred programs, or a course that shares
    a token to view, with room to spare."""

    control_calls: int = 1000
    """[calls and streams] of all tokens to control. Those who may only view or drive cannot use
    them up."""

    owner_calls: int = 2000
    """[calls and streams] of the user who started the server, whom no other user can lock out."""

    open_calls: int = 100
    """[calls] without a token: health checks, which end at once."""

    host_open_calls: int = 20
    """[calls] without a token of one address: as many monitors."""

    open_request_seconds: float = 5.0
    """[s] in which the request of a call without a token has to come: only its head may be sent, to
    hold the call."""

    connection_programs: int = 200
    """[user programs] that one connection may have in the step at a time: the step waits for all of
    them, so some calls are left to look on and to stop them."""

    message_commands: int = MOST["Commands.commands"]
    """[commands] in one message: checking them takes the front about 10 ms."""

    stream_refusals: int = 10_000
    """[commands] of one stream that may be refused before the stream is ended: a client that
    exceeds it ignores the refusals."""

    turn_commands: int = 50_000
    """[commands] of one program from one wait to the next: five each for ten thousand devices.
    Checking them takes the simulation about 0.2 s, in which all others stand still."""

    turn_bytes: int = 16 * 1024 * 1024
    """[bytes] of the values of these commands, which are kept until the step: the largest list may
    be published five hundred times."""

    turn_picture_orders: int = 200
    """[calls] of one program for pictures from one wait to the next, of as many cameras as it likes
    each. The time for pictures does not count towards its deadline, and the step waits."""

    client_drawing_seconds: float = 20.0
    """[s of wall-clock time] of a turn in which a client draws the pictures of its own program,
    which does not count towards its deadline: the first pictures of a town by a processor alone, on
    a busy machine. The client reports when it draws, which cannot be checked."""

    first_turn_seconds: float = 10.0
    """[s of wall-clock time] from the moment that a program joins a running simulation to its first
    wait, in which all stand still: it plans its route there, on a large map. What it imports comes
    before it joins."""

    first_turn_interval_seconds: float = 60.0
    """[s of wall-clock time] from the beginning of one such first turn of programs from elsewhere
    to the next that is as long, for the same robot and for the same host. Programs of other robots
    that the host joins while it lasts share what is left of it; later ones have to meet their
    deadline. So a program that joins again and again, or for many robots, delays the step no longer
    than one that stays."""

    preparation_seconds: float = 300.0
    """[s] of a turn in which a program on this machine imports modules, has kernels compiled or
    reads the world's roads, which does not count towards its deadline: ten times what the slowest
    takes."""

    told_refusals: int = 5
    """[messages] on refused commands of one program in `refusal_steps`; the rest is counted."""

    refusal_steps: int = 240
    """[steps] from one such group of messages to the next: a second, at the usual step."""

    notices: int = 10_000
    """[messages] of a run that are kept for reports, half of them for errors: more than a user
    reads. The oldest are dropped first. Half as many printed lines are kept, too."""

    printed_lines: int = 100
    """[lines a second] of what one user program prints that become messages: more than a user can
    follow. The server's own output has all of them."""

    notice_characters: int = 20_000
    """[characters] of a message: a long traceback. Of a longer one the end is left out."""

    notices_characters: int = 8_000_000
    """[characters] of all messages that are kept, and half as many of printed lines: at most 48 MB
    of memory."""

    report_characters: int = 200_000
    """[characters] of messages in one report; a client that
    wants more asks again from where it ended."""

    reason_bytes: int = 6_000
    """[bytes] of the reason with which a call ends, as it travels: gRPC takes 8 KiB of trailers."""


LIMITS = Limits()


def cut(text: str, characters: int) -> str:
    """`text`, shortened to at most `characters`, with a mark where text is left out."""
    if len(text) <= characters:
        return text
    return f"{text[:characters]} … ({len(text) - characters} more characters)"
