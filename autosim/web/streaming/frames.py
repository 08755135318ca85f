"""WebSocket frames (RFC 6455) of a server: not masked, so that one serves all viewers."""

import struct

_BINARY, _TEXT = 0x82, 0x81
"""First byte of a frame that is a whole message."""

_SHORT, _MEDIUM = 126, 65536
"""Payloads [bytes] from which the length takes two or eight more bytes."""


def binary_frame(payload: bytes) -> bytes:
    """The frame of a binary message."""
    return _frame(_BINARY, payload)


def text_frame(text: str) -> bytes:
    """The frame of a text message."""
    return _frame(_TEXT, text.encode())


def _frame(first: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < _SHORT:
        return bytes((first, size)) + payload
    if size < _MEDIUM:
        return struct.pack(">BBH", first, _SHORT, size) + payload
    return struct.pack(">BBQ", first, _SHORT + 1, size) + payload
