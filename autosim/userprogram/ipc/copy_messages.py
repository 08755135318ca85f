"""The words that a host and the sleeping copy of a user program exchange.

A host that keeps a snapshot hands its program one end of a socket pair, the leash. The copy that
the program makes of its process sleeps on it, and ends when the host's end is closed. To continue
from the snapshot, the host sends `WAKE` with two sockets: the program's new channel, and a tie. The
copy forks once more; the process that wakes takes the channel, and answers `AWAKE` on the tie with
a descriptor of its process (pidfd). When it has ended, the sleeping copy, which is its parent,
sends the exit code. When the host closes its end of the tie, the sleeping copy kills what it has
woken.
"""

ASLEEP = b"asleep"
"""On the leash, from the copy: it sleeps. A program that makes no copy closes the leash instead."""

WAKE = b"wake"
"""On the leash, from the host: continue from here, with the sockets that come along."""

AWAKE = b"awake"
"""On the tie, from the process that woke up: it continues, and this is its pidfd."""

WORD_BYTES = 32
"""Number of bytes that one read takes: more than any of these words, or an exit code, has."""

SLEEPER_NAME = "autosim-asleep"
"""The name (/proc/PID/comm) of a sleeping copy. It has its program's environment, so only the name
tells it from the processes that a program leaves behind."""
