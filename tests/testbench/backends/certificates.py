"""A certificate authority of a test's own, and certificates that it signs."""

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates; `ca` is the file of its own."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        signed = self._builder(self._name, self._key).add_extension(constraints, critical=True)
        self.ca = folder / "ca.pem"
        self._write(self.ca, signed.sign(self._key, hashes.SHA256()))

    def sign(self, name: str, address: str = "127.0.0.1") -> tuple[Path, Path]:
        """The files of a certificate for an address, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        alternatives = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        signed = self._builder(subject, key).add_extension(alternatives, critical=False)
        files = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        self._write(files[0], signed.sign(self._key, hashes.SHA256()))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return files

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey
    ) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )

    def _write(self, file: Path, certificate: x509.Certificate) -> None:
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
