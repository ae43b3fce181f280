"""Judges addresses of Bitcoin: base58check (those that begin with 1 or 3) and segwit (bc1, BIP 173 and BIP 350)."""

from __future__ import annotations

import re
from hashlib import sha256

from stdnum import bitcoin

from qrkit.contents.single_lines import broken

__all__ = ["check_address"]

VERSIONS = {0x00, 0x05, 0x6F, 0xC4}
"""The first byte of base58check addresses: to a key or a script, in the network or the test network."""
NETWORKS = ("bc", "tb", "bcrt")
"""How segwit addresses begin: those of the network, the test network, and networks of developers."""
BECH32, BECH32M = 1, 0x2BC830A3
"""The checksums of BIP 173, for version 0, and of BIP 350, for later versions."""
LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
KINDS = "must begin with 1, 3 or bc1 (or m, n, 2, tb1 or bcrt1 for test networks)"


def check_address(address: str) -> str:
    """Return a valid address; a segwit address in lowercase.

    Raises:
        PydanticCustomError: If the address is invalid.
    """
    if re.match("(?:bc|tb|bcrt)1", address, re.IGNORECASE):
        return _check_segwit(address)
    if not re.fullmatch("[1-9A-HJ-NP-Za-km-z]{25,35}", address):
        raise broken(f"{KINDS} and have 25..35 letters and digits without 0, O, I and l")
    data = bitcoin.b58decode(address)
    if len(data) != 25 or data[0] not in VERSIONS:
        raise broken(KINDS)
    if sha256(sha256(data[:-4]).digest()).digest()[:4] != data[-4:]:
        raise broken("has a wrong checksum; look for a typing error")
    return address


def _check_segwit(address: str) -> str:
    lower = address.lower()
    network, _, written = lower.rpartition("1")
    if address not in (lower, address.upper()):
        raise broken("must not have both capital and small letters")
    if network not in NETWORKS or len(written) < 8 or not set(written) <= set(LETTERS):
        raise broken("must have only the letters and digits of segwit addresses after bc1")
    values = [LETTERS.index(letter) for letter in written]
    expanded = [ord(letter) >> 5 for letter in network] + [0] + [ord(letter) & 31 for letter in network]
    version = values[0]
    if bitcoin.bech32_checksum(expanded + values) != (BECH32M if version else BECH32):
        raise broken("has a wrong checksum; look for a typing error")
    _check_program(version, values[1:-6])
    return lower


def _check_program(version: int, values: list[int]) -> None:
    size, rest = divmod(5 * len(values), 8)
    is_padded = rest < 5 and (not values or values[-1] & ((1 << rest) - 1) == 0)
    if version > 16 or not is_padded or not 2 <= size <= 40 or (version == 0 and size not in (20, 32)):
        raise broken("has a valid checksum but is no address of a known version (BIP 173)")
