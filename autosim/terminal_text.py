"""Text as it may be printed to a terminal, wherever it comes from.

A name in a map or a message from the network may hold sequences that move the cursor, set the
title, or answer in the user's place; that of a file may not be text at all.
"""

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u2028\u2029\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # other invisible ones
    "\ud800-\udfff"  # bytes of file names that are not UTF-8
    "]"
)


def for_terminal(text: str) -> str:
    r"""The text with what terminals obey written out, as `\u001b`; JSON stays the same JSON."""
    return _UNSAFE.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    code = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[k : k + 4]}" for k in range(0, len(code), 4))
