"""Fingerprints of certificates, by which users and clients recognise a server."""

import base64
import hashlib
import ssl

PREFIX = "SHA256:"

CERTIFICATE_NAME = "autosim"
"""The host name in a certificate that AutoSim makes: clients check its fingerprint, not its
host."""


def fingerprint_of(certificate: bytes) -> str:
    """`SHA256:…` of a certificate in DER, as ssh writes those of keys."""
    digest = base64.b64encode(hashlib.sha256(certificate).digest()).decode()
    return PREFIX + digest.rstrip("=")


def fingerprint_of_pem(certificates: bytes) -> str:
    """The fingerprint of the first certificate in a PEM file.

    Raises:
        ValueError: there is none.
    """
    text = certificates.decode("ascii")
    end = "-----END CERTIFICATE-----"
    begin = text.find("-----BEGIN CERTIFICATE-----")
    if begin < 0 or end not in text:
        raise ValueError("there is no certificate in it")
    first = text[begin : text.index(end, begin) + len(end)]
    return fingerprint_of(ssl.PEM_cert_to_DER_cert(first))
