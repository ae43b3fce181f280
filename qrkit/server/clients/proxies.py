"""Finds the IP address of a client, even behind proxies that the operator trusts, and marks clients in the log."""

from __future__ import annotations

import re
import secrets
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, ip_address
from wsgiref.types import WSGIEnvironment

from qrkit.server.clients.shares import network_of
from qrkit.server.settings import Settings
from qrkit.tracking.times import utc

WITH_PORT = re.compile(r"\[(?P<v6>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|(?P<v4>[0-9.]+):[0-9]{1,5}")
IPV4 = re.compile(r"[0-9.]+")
BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
PLAIN_IPV4 = re.compile(rf"{BYTE}(?:\.{BYTE}){{3}}")
"""An IPv4 address, which has one spelling only."""


def client_address(environ: WSGIEnvironment, settings: Settings) -> str:
    """Return the address of the client; an IPv4 address written as IPv6 is returned as IPv4.

    `X-Forwarded-For` is read only if a trusted proxy sent the request, and only the entry that the outermost trusted
    proxy added: a client can forge everything to the left of it. All other forwarding headers are ignored.
    """
    peer = str(environ.get("REMOTE_ADDR") or "")
    if not settings.proxies and IPV4.fullmatch(peer):
        return peer  # it has no other spelling, and parsing it would take a tenth of the time of a redirect
    address = _read_peer(peer)
    if address is None:
        return peer
    if _is_trusted(address, settings):
        hops = settings.proxy_hops
        entries = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rsplit(",", hops)
        if len(entries) >= hops:
            entry = entries[-hops].strip(" \t")
            if PLAIN_IPV4.fullmatch(entry):
                return entry  # as `str` would write it
            address = _read(entry) or address
    return str(address)


def is_from_proxy(environ: WSGIEnvironment, settings: Settings) -> bool:
    """Whether a trusted proxy sent a request, so that its headers about the client can be trusted."""
    address = _read_peer(str(environ.get("REMOTE_ADDR") or ""))
    return address is not None and _is_trusted(address, settings)


def network_of_peer(peer: str) -> str:
    """Return the network that a peer's connections count for; an IPv4 address written as IPv6 counts as IPv4."""
    return network_of(str(_read_peer(peer) or peer))


def is_free(peer: str, settings: Settings) -> bool:
    """Whether a peer's connections are unlimited: those of trusted proxies, and of this machine, which may run one."""
    address = _read_peer(peer)
    return address is None or address.is_loopback or _is_trusted(address, settings)


def _is_trusted(address: IPv4Address | IPv6Address, settings: Settings) -> bool:
    return any(address in network for network in settings.proxies)


@lru_cache(maxsize=16)  # most peers are proxies, and parsing an address takes a tenth of the time of a redirect
def _read_peer(peer: str) -> IPv4Address | IPv6Address | None:
    """Parse the address of a peer, without its network interface."""
    return _read(peer.partition("%")[0])


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address with or without a port; return None for anything else."""
    match = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((match["v6"] or match["v4"]) if match else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        # A scope ID refers to a network interface of another machine and may be any text.
        return None if address.scope_id else address.ipv4_mapped or address
    return address


# ---- marks in the log


def client_mark(address: str, moment: datetime) -> str:
    """Return 12 hex digits that stand for an IPv4 address, or for the /64 network of an IPv6 address, on one UTC day.

    Each process creates a random salt for each day and never stores it, so nobody can compute the address from the
    mark, or recognize a client on the next day.
    """
    salt = _salt(utc(moment).toordinal())
    return blake2b(network_of(address).encode(), key=salt, digest_size=6).hexdigest()


@lru_cache(maxsize=1)  # yesterday's salt is forgotten
def _salt(_day: int) -> bytes:
    return secrets.token_bytes(32)
