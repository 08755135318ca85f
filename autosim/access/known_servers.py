"""The certificates of servers elsewhere that the user has accepted, one on each line."""

from pathlib import Path

from autosim.access.private_files import read_private, state_folder, write_private

_HEAD = "# HOST:PORT and the fingerprint of the certificate that was accepted for it\n"


def find_known(address: str) -> str:
    """The accepted fingerprint of the server at `address`, "" if there is none.

    Raises:
        AccessError: other users can write the file.
    """
    return _read().get(address.lower(), "")


def remember(address: str, fingerprint: str) -> None:
    """Accepts a fingerprint for the server at `address` from now on.

    Raises:
        AccessError: it cannot be kept.
    """
    known = _read() | {address.lower(): fingerprint}
    lines = (f"{name} {each}\n" for name, each in known.items())
    write_private(_file(), (_HEAD + "".join(lines)).encode())


def _file() -> Path:
    return state_folder() / "known_servers"


def _read() -> dict[str, str]:
    content = read_private(_file())
    lines = (content or b"").decode("utf-8", "replace").splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
