"""Tokens: rights to a server, with their expiry. No secret is stored, only hashes.

A token has 256 random bits, so its plain SHA-256 cannot be reversed by guessing.
"""

import asyncio
import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from autosim.access.private_files import AccessError, read_private, write_private

_DIGEST = re.compile(r"[0-9a-f]{64}")
"""SHA-256 in hex. Comparing texts that are not ASCII would raise in each call."""

_MAX_TIME = 2.5e11
"""Largest UNIX time [s] of a token, in the year 9892: calendars of Python end with 9999."""

_SECRET_BYTES = 32
"""Number of random bytes of a token: 256 bits, which cannot be guessed."""

MOST_TOKENS = 200
"""Of one server: each call is compared with all of them."""

NO_TOKEN = "no token came with the call"
UNKNOWN_TOKEN = "this server does not know the token"
EXPIRED = "the token has expired"
REVOKED = "the token was revoked"


class Role(IntEnum):
    """Role of a token; each role includes the rights of those before it."""

    VIEW = 1
    DRIVE = 2
    CONTROL = 3


@dataclass(frozen=True, slots=True)
class Grant:
    """A token without its secret.

    `digest`: SHA-256 (hex) of the secret. `robots`: those that it may drive, of a token to drive.
    `made`, `expires`: UNIX time [s]; 0.0: never.
    """

    name: str
    """Name of the token, unique on its server."""
    digest: str
    role: Role
    """Rights of its holder."""
    robots: tuple[str, ...] = ()
    made: float = 0.0
    expires: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether its time has passed."""
        return 0.0 < self.expires <= time.time()


@dataclass(slots=True)
class _Call:
    """A call that is being answered, and why it was ended, "" where it was not."""

    task: "asyncio.Task[object] | None"
    ended: str = ""


class Grants:
    """The tokens of one server. Belongs to one event loop.

    `owner` is the secret of the user who started the server, and allows everything; it is another
    in each run.
    """

    def __init__(self) -> None:
        self.owner = secrets.token_urlsafe(_SECRET_BYTES)
        self._owner = Grant("the server's owner", digest_of(self.owner), Role.CONTROL)
        self._file: Path | None = None
        self._made: dict[str, Grant] = {}
        self._calls: dict[str, list[_Call]] = {}

    def keep_in(self, file: Path) -> None:
        """Takes the tokens that are kept in `file`, and keeps there those that are made.

        Raises:
            AccessError: the file cannot be read.
        """
        self._file = file
        self._made = {each.name: each for each in _load(file) if not each.is_over}

    def find(self, token: str) -> Grant | str:
        """The grant of a token, or why there is none. Takes as long whichever it is."""
        if not token:
            return NO_TOKEN
        digest = digest_of(token)
        found: Grant | None = None
        for each in (self._owner, *self._made.values()):
            if hmac.compare_digest(each.digest, digest):
                found = each
        if found is None:
            return UNKNOWN_TOKEN
        return EXPIRED if found.is_over else found

    def is_owner(self, grant: Grant) -> bool:
        """Whether it is that of the user who started the server, which cannot be revoked."""
        return grant is self._owner

    def listed(self) -> tuple[Grant, ...]:
        """The tokens that were created and have not expired."""
        self._made = {name: each for name, each in self._made.items() if not each.is_over}
        return tuple(self._made.values())

    def make(
        self, role: Role, *, name: str, robots: tuple[str, ...] = (), seconds: float = 0.0
    ) -> tuple[Grant, str]:
        """A new token, and its secret, which is kept nowhere.

        Args:
            role: what it is good for.
            name: by which it is listed and revoked; "": one that is free.
            robots: those that it may drive; of DRIVE at least one, of others none.
            seconds: how long it is good; 0.0: until it is revoked.

        Raises:
            AccessError: the name is taken, robots do not go with the role, or it cannot be kept.
        """
        taken = {each.name for each in self.listed()}
        if (role is Role.DRIVE) is not bool(robots):
            raise AccessError("a token to drive names its robots, and no other token does")
        if name in taken:
            raise AccessError(f"there is already a token '{name}': revoke it, or choose another")
        if len(taken) >= MOST_TOKENS:
            raise AccessError(f"there are {MOST_TOKENS} tokens, as many as a server takes")
        numbered = (f"{role.name.lower()}{number}" for number in range(1, MOST_TOKENS + 1))
        secret, now = secrets.token_urlsafe(_SECRET_BYTES), time.time()
        grant = Grant(
            name or next(each for each in numbered if each not in taken),
            digest_of(secret),
            role,
            robots,
            made=now,
            expires=now + seconds if seconds else 0.0,
        )
        self._keep({**self._made, grant.name: grant})
        return grant, secret

    def revoke(self, name: str) -> None:
        """Makes a token worthless at once; calls and streams that it has opened end.

        Raises:
            AccessError: there is none of that name, or the change cannot be kept.
        """
        if name not in self._made:
            known = ", ".join(each.name for each in self.listed()) or "none"
            raise AccessError(f"there is no token '{name}' (tokens: {known})")
        digest = self._made[name].digest
        self._keep({key: each for key, each in self._made.items() if key != name})
        for call in list(self._calls.get(digest, ())):
            _end(call, REVOKED)

    @contextmanager
    def answering(self, grant: Grant) -> Iterator[Callable[[], str]]:
        """Inside, the task answers a call of `grant`, and is cancelled when that is over.

        What comes out says why it was, "" where it was not.
        """
        call = _Call(asyncio.current_task())
        calls = self._calls.setdefault(grant.digest, [])
        calls.append(call)
        timer: asyncio.TimerHandle | None = None
        if grant.expires:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(grant.expires - time.time(), _end, call, EXPIRED)
        try:
            yield lambda: call.ended
        finally:
            if timer is not None:
                timer.cancel()
            calls.remove(call)
            if not calls:
                self._calls.pop(grant.digest, None)

    def _keep(self, made: dict[str, Grant]) -> None:
        if self._file is not None:
            records = [asdict(each) for each in made.values()]
            write_private(self._file, json.dumps(records, indent=1).encode())
        self._made = made


def digest_of(secret: str) -> str:
    """SHA-256 (hex) of a token's secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _end(call: _Call, why: str) -> None:
    call.ended = why
    if call.task is not None:
        call.task.cancel()


def _load(file: Path) -> list[Grant]:
    content = read_private(file)
    if content is None:
        return []
    try:
        return [_grant(each) for each in json.loads(content)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise AccessError(
            f"{file}: error: it is damaged; remove it, and make the tokens again"
        ) from error


def _grant(record: Mapping[str, Any]) -> Grant:
    """The grant that a record of the file describes.

    Raises:
        ValueError, TypeError, KeyError: it does not describe one.
    """
    grant = Grant(**{**record, "role": Role(record["role"]), "robots": tuple(record["robots"])})
    texts = (grant.name, grant.digest, *grant.robots)
    times = (grant.made, grant.expires)
    if not all(isinstance(each, str) for each in texts) or not _DIGEST.fullmatch(grant.digest):
        raise ValueError("a name or a digest is not one")
    if not all(isinstance(each, int | float) and 0.0 <= each <= _MAX_TIME for each in times):
        raise ValueError(f"a time is not a number of seconds from 0 to {_MAX_TIME:g}")
    return grant
