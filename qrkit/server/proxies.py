"""Who asks: the address of a client, also behind proxies that the operator trusts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from wsgiref.types import WSGIEnvironment

from qrkit.server.settings import Settings

__all__ = ["client_address", "has_its_share"]

MOST_OF_ADDRESS = 100
"""Connections of one address at a time."""

WITH_PORT = re.compile(r"\[(?P<v6>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|(?P<v4>[0-9.]+):[0-9]{1,5}")


def client_address(environ: WSGIEnvironment, settings: Settings) -> str:
    """The address of the client; IPv4 in IPv6 is given as IPv4.

    `X-Forwarded-For` is believed of trusted proxies alone, and of its list that entry which the outermost of them
    wrote: everything to the left of it is the client's own invention. Of other forwarding headers nothing is.
    """
    peer = str(environ.get("REMOTE_ADDR") or "")
    address = _read(peer.partition("%")[0])
    if address is None:
        return peer
    if any(address in network for network in settings.proxies):
        hops = settings.proxy_hops
        entries = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rsplit(",", hops)
        if len(entries) >= hops:
            address = _read(entries[-hops].strip(" \t")) or address
    return str(address)


def has_its_share(address: str, others: Sequence[str], settings: Settings) -> bool:
    """Whether an address has so many connections that it gets no more, so that none takes them all.

    Trusted proxies may have any number, and so may this machine, on which there may be one.

    Args:
        address: Who asks for one more.
        others: The addresses of the connections there are.
        settings: Who is trusted.
    """
    found = _read(address.partition("%")[0])
    if found is None or found.is_loopback or any(found in network for network in settings.proxies):
        return False
    return sum(other == address for other in others) >= MOST_OF_ADDRESS


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """An address, with or without its port; None for anything else."""
    found = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((found["v6"] or found["v4"]) if found else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        # A zone is a name on another machine, and may be any text.
        return None if address.scope_id else address.ipv4_mapped or address
    return address
