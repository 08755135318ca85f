"""The certificate by which a server proves who it is, and the key that encrypts what it says."""

import datetime
from dataclasses import dataclass
from pathlib import Path

from autosim.access.fingerprint import CERTIFICATE_NAME, fingerprint_of_pem
from autosim.access.private_files import AccessError, read_private, state_folder, write_private

_YEARS = 10
"""Validity [years] of a certificate that the server has made for itself: clients keep its
fingerprint, so that it should not change."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A certificate (or chain of them) and its key, as PEM; `fingerprint` of the certificate."""

    certificate: bytes
    key: bytes
    fingerprint: str


def read_identity(certificate: Path, key: Path) -> Identity:
    """A user's certificate, with its key.

    Raises:
        AccessError: one of them cannot be read, or others can read the key, or it is another's.
    """
    private = read_private(key)
    if private is None:
        raise AccessError(f"{key}: error: there is no such key")
    try:
        public = certificate.read_bytes()
        identity = Identity(public, private, fingerprint_of_pem(public))
    except OSError as error:
        raise AccessError(f"{certificate}: error: {error.strerror}") from error
    except ValueError as error:
        raise AccessError(f"{certificate}: error: it holds no certificate in PEM") from error
    _require_pair(identity, certificate, key)
    return identity


def own_identity() -> Identity:
    """The certificate of this user's servers, made at its first use.

    Raises:
        AccessError: it can neither be read nor made.
    """
    certificate, key = state_folder() / "certificate.pem", state_folder() / "key.pem"
    if not (certificate.exists() and key.exists()):
        public, private = _new_pair()
        write_private(key, private)
        write_private(certificate, public)
    return read_identity(certificate, key)


def _require_pair(identity: Identity, certificate: Path, key: Path) -> None:
    # It takes a fifth of a second to import, for which loopback servers have no use.
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        public = x509.load_pem_x509_certificate(identity.certificate).public_key()
        private = load_pem_private_key(identity.key, password=None)
    except (ValueError, TypeError) as error:
        raise AccessError(
            f"{key}: error: it cannot be used with {certificate}: {error}; both are PEM, and the "
            "key has no password"
        ) from error
    if private.public_key() != public:
        raise AccessError(f"{key}: error: it is not the key of {certificate}")


def _new_pair() -> tuple[bytes, bytes]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    names = x509.SubjectAlternativeName([x509.DNSName(CERTIFICATE_NAME)])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, CERTIFICATE_NAME)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=365 * _YEARS))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    return (
        certificate.public_bytes(Encoding.PEM),
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    )
