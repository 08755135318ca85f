"""Bytes on a serial line as frames: COBS, then CRC-16/XMODEM, and a zero byte at each end.

COBS (S. Cheshire and M. Baker, *Consistent Overhead Byte Stuffing*, 1999) removes the zero bytes
from a frame, so that a zero marks its end. After garbage on the line the next zero byte resyncs.
"""

from binascii import crc_hqx

MOST_BYTES = 250
"""Number of bytes of a frame before stuffing: with one byte more COBS needs a second code."""

_CRC_BYTES = 2
"""Length of the check sum, high byte first."""


def encode(payload: bytes) -> bytes:
    """A frame with its zero byte.

    Raises:
        ValueError: the payload is too long.
    """
    if len(payload) > MOST_BYTES:
        raise ValueError(f"a frame holds {MOST_BYTES} bytes, not {len(payload)}")
    checked = payload + crc_hqx(payload, 0).to_bytes(_CRC_BYTES, "big")
    return b"".join(bytes((len(each) + 1,)) + each for each in checked.split(b"\0")) + b"\0"


class Decoder:
    """Finds frames in what comes over a line.

    Attributes:
        rejected: number of pieces between zero bytes that were not whole frames.
    """

    def __init__(self) -> None:
        self.rejected = 0
        self._piece = bytearray()

    def add(self, data: bytes) -> list[bytes]:
        """The payloads of the frames that `data` completes."""
        found = []
        for byte in data:
            if byte:
                self._piece.append(byte)
                # Longer than any frame: garbage, of which no more is kept.
                del self._piece[: -(MOST_BYTES + 5)]
            elif self._piece:
                payload = _decode(bytes(self._piece))
                self._piece.clear()
                if payload is None:
                    self.rejected += 1
                else:
                    found.append(payload)
        return found


def _decode(stuffed: bytes) -> bytes | None:
    pieces, at = [], 0
    while at < len(stuffed):
        length = stuffed[at]
        if at + length > len(stuffed):
            return None
        pieces.append(stuffed[at + 1 : at + length])
        at += length
    checked = b"\0".join(pieces)
    payload, check = checked[:-_CRC_BYTES], checked[-_CRC_BYTES:]
    is_whole = len(checked) >= _CRC_BYTES and crc_hqx(payload, 0) == int.from_bytes(check, "big")
    return payload if is_whole else None
