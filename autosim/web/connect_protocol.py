"""The Connect protocol over HTTP, as far as pages use it: calls with one request.

https://connectrpc.com/docs/protocol: a unary call is a POST with the request as its body. An answer
in parts is a sequence of envelopes: a byte of flags, four bytes of length, the message.
"""

import json
import struct

import grpc

UNARY_TYPE = "application/proto"
STREAM_TYPE = "application/connect+proto"

ENVELOPE = struct.Struct(">BI")
"""Flags and length of a message in a stream."""

_LAST = 2
"""Flag of the last envelope, which holds the status as JSON."""

_STATUS = {
    grpc.StatusCode.CANCELLED: ("canceled", 499),
    grpc.StatusCode.UNKNOWN: ("unknown", 500),
    grpc.StatusCode.INVALID_ARGUMENT: ("invalid_argument", 400),
    grpc.StatusCode.DEADLINE_EXCEEDED: ("deadline_exceeded", 504),
    grpc.StatusCode.NOT_FOUND: ("not_found", 404),
    grpc.StatusCode.ALREADY_EXISTS: ("already_exists", 409),
    grpc.StatusCode.PERMISSION_DENIED: ("permission_denied", 403),
    grpc.StatusCode.RESOURCE_EXHAUSTED: ("resource_exhausted", 429),
    grpc.StatusCode.FAILED_PRECONDITION: ("failed_precondition", 400),
    grpc.StatusCode.ABORTED: ("aborted", 409),
    grpc.StatusCode.OUT_OF_RANGE: ("out_of_range", 400),
    grpc.StatusCode.UNIMPLEMENTED: ("unimplemented", 501),
    grpc.StatusCode.INTERNAL: ("internal", 500),
    grpc.StatusCode.UNAVAILABLE: ("unavailable", 503),
    grpc.StatusCode.DATA_LOSS: ("data_loss", 500),
    grpc.StatusCode.UNAUTHENTICATED: ("unauthenticated", 401),
}


def error_status(code: grpc.StatusCode) -> int:
    """The status of HTTP for one of gRPC."""
    return _STATUS.get(code, _STATUS[grpc.StatusCode.UNKNOWN])[1]


def error_body(code: grpc.StatusCode, reason: str) -> bytes:
    """The body of an answer that says why a call has failed."""
    return json.dumps(_error(code, reason)).encode()


def envelope(message: bytes) -> bytes:
    """One message of an answer in parts."""
    return ENVELOPE.pack(0, len(message)) + message


def last_envelope(failure: tuple[grpc.StatusCode, str] | None = None) -> bytes:
    """The end of an answer in parts: its failure, None where all went well."""
    content = {} if failure is None else {"error": _error(*failure)}
    body = json.dumps(content).encode()
    return ENVELOPE.pack(_LAST, len(body)) + body


def single_message(body: bytes) -> bytes:
    """The one message of a request of the streaming kind.

    Raises:
        ValueError: there is another number of them, or it is compressed.
    """
    if len(body) < ENVELOPE.size:
        raise ValueError("the request has no envelope")
    flags, length = ENVELOPE.unpack_from(body)
    if flags or length != len(body) - ENVELOPE.size:
        raise ValueError("the request is not one message without compression")
    return body[ENVELOPE.size :]


def timeout_seconds(header: str | None, most: float) -> float:
    """The time that a call may take [s], at most `most`.

    Raises:
        ValueError: the header is not a number of milliseconds.
    """
    if header is None:
        return most
    if not (header.isascii() and header.isdecimal() and len(header) <= 10):
        raise ValueError("Connect-Timeout-Ms is not a number of at most ten digits")
    return min(most, int(header) / 1000.0)


def _error(code: grpc.StatusCode, reason: str) -> dict[str, str]:
    name = _STATUS.get(code, _STATUS[grpc.StatusCode.UNKNOWN])[0]
    return {"code": name, "message": reason}
