"""More links to a gateway of the same user on this machine."""

import http.client
import json
import ssl

from autosim.access.fingerprint import fingerprint_of
from autosim.access.own_servers import OwnServer, OwnServerFinder
from autosim.access.server_addresses import split
from autosim.errors import UserError
from autosim.web.web_gateway import url_of

_SECONDS = 10.0
"""Longest time [s] that a gateway may take to answer: it asks its server once."""


def make_link(address: str, role: str, uses: int) -> str:
    """The URL of a new link.

    Args:
        address: HOST:PORT of a gateway that this user has started on this machine.
        role: of the sessions that it opens.
        uses: number of browsers that it is good for.

    Raises:
        UserError: there is no such gateway, or it refuses; the message says why.
    """
    own = OwnServerFinder(address).look()
    if own is None:
        raise UserError(
            f"no gateway of yours serves browsers at {address}: start one by autosim server --web, "
            "or name its HOST:PORT"
        )
    body = json.dumps({"role": role, "uses": uses})
    headers = {"Authorization": f"Bearer {own.token}", "Content-Type": "application/json"}
    connection = _connection(own)
    try:
        connection.connect()
        _check_certificate(connection, own)
        connection.request("POST", "/api/link", body, headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UserError(f"the gateway at {address} does not answer: {error}") from error
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK:
        raise UserError(f"the gateway at {address} refuses: {content.get('error', 'no reason')}")
    return url_of(own.address, str(content["key"]), is_encrypted=bool(own.fingerprint))


def _connection(own: OwnServer) -> http.client.HTTPConnection:
    host, port = split(own.address)
    if not own.fingerprint:
        return http.client.HTTPConnection(host, port, timeout=_SECONDS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Not believed here: its fingerprint is compared with the one that it has left.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(host, port, timeout=_SECONDS, context=context)


def _check_certificate(connection: http.client.HTTPConnection, own: OwnServer) -> None:
    if not own.fingerprint:
        return
    assert isinstance(connection.sock, ssl.SSLSocket)
    shown = connection.sock.getpeercert(binary_form=True) or b""
    if fingerprint_of(shown) != own.fingerprint:
        raise UserError(f"another program answers at {own.address}: its certificate differs")
