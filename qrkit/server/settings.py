"""Defines the settings of a server: one typed object, from environment variables, the command line or Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, get_args, get_origin

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from qrkit.design.limits import Whole, Within
from qrkit.drawing.untrusted.rasteriser import ENGINE_VARIABLE
from qrkit.errors import InvalidParameter, UnknownParameter
from qrkit.model import Model
from qrkit.store.retention import MOST_DAYS
from qrkit.tracking.short_urls import base_url_of

__all__ = ["ENVIRONMENT", "Settings"]

PREFIX = "QRKIT_"


def _base_url(text: str) -> str:
    try:
        return base_url_of(text)
    except InvalidParameter as error:
        raise PydanticCustomError("bad-value", "{rule}", {"rule": error.rule}) from error


def _networks(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        try:
            ip_network(text)
        except ValueError as error:
            rule = f"{text!r} must be an address or a network, as 10.0.0.1 or 10.0.0.0/8"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule}) from error
    return texts


def _host_names(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if re.search(r"[\s/@?#\\]|.\*|\*.", text) or not text:
            rule = f"{text!r} must be a name as it stands in a URL, shop.example or shop.example:8080, or *"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule})
    return texts


Networks = Annotated[tuple[str, ...], AfterValidator(_networks)]
Port = Annotated[Whole, Within(0, 65_535, "(0 is one that is free)")]
Hops = Annotated[Whole, Within(1, 10, "proxies")]
Threads = Annotated[Whole, Within(4, 512, "threads")]
Processes = Annotated[Whole, Within(1, 1_000, "processes")]
Renders = Annotated[Whole, Within(1, 64, "at once")]
Days = Annotated[Whole, Within(1, MOST_DAYS, "days")]
Rate = Annotated[Whole, Within(0, 1_000_000, "requests a minute (0 is without limit)")]


def _may_be(kind: Any, annotation: Any) -> bool:
    """Whether an annotation is this type, this type with bounds, or this type or None."""
    return annotation is kind or any(_may_be(kind, part) for part in get_args(annotation))


class Settings(Model):
    """Settings of a server of the HTTP interface.

    Each field can be set by an environment variable, such as `QRKIT_BASE_URL` for `base_url`; lists are separated by
    commas.

    Attributes:
        store: The store's file, or the URL of a PostgreSQL database. Left out of the `repr`, as it may contain a
            password.
        base_url: What short URLs begin with; by default the base URL kept in the store. Never taken from a request.
        host: Address to listen on.
        port: Port to listen on.
        hosts: Host names besides that of `base_url` that the server answers for; "*" for any. IP addresses and
            localhost are always accepted.
        trusted_proxies: Addresses or networks of proxies whose `X-Forwarded-For` is trusted; none by default.
        proxy_hops: Number of such proxies in front of the server, one behind the other.
        fetch_from: Hosts that images of designs may be downloaded from; none by default.
        strict: Whether to answer a redirect with 503 if its visit is not stored durably within two seconds.
        record_visits: Whether to record visits at all; if not, short URLs work and nothing is counted.
        keep_days: Days after which visits are reduced to counts; by default the value kept in the store, or forever if
            the store has none.
        places: A GeoIP database (mmdb) for the country of a visit, and region and city if it has them; none by default.
            Addresses are not stored, so a location that is not looked up with the visit is never known.
        access_log: Whether to log each request as a line of JSON, without query, key or address.
        threads: How many requests are handled at once. Redirects wait for the disk together, so more threads help.
        processes: How many processes serve the store; each applies its share of the limits per address.
        renders: How many images are drawn at once: so many plain ones and, for one account or address, so many that
            contain images (at most 4; one more for others). By default the number of processors.
        generates_a_minute: Requests per minute to generate or decode without a key, per IPv4 address or IPv6 /64.
        unknown_codes_a_minute: Unknown short URLs per minute, per IPv4 address or IPv6 /64.

    Raises:
        InvalidParameter: If a field is invalid; the error lists all invalid fields.
    """

    store: Annotated[str, Field(repr=False)] = "qrkit.duckdb"
    base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    host: str = "127.0.0.1"
    port: Port = 8080
    hosts: Annotated[tuple[str, ...], AfterValidator(_host_names)] = ()
    trusted_proxies: Networks = ()
    proxy_hops: Hops = 1
    fetch_from: tuple[str, ...] = ()
    strict: bool = False
    record_visits: bool = True
    keep_days: Days | None = None
    places: str | None = None
    access_log: bool = True
    threads: Threads = 64
    processes: Processes = 1
    renders: Renders | None = None
    generates_a_minute: Rate = 600
    unknown_codes_a_minute: Rate = 30

    @classmethod
    def read(cls, environment: Mapping[str, str], **given: Any) -> Settings:
        """Read settings from environment variables.

        Args:
            environment: Names and values of the variables, as in `os.environ`.
            **given: Fields that override the variables; None means not given.

        Raises:
            UnknownParameter: If a variable begins with `QRKIT_` but is not a setting, which is probably a typo.
            InvalidParameter: If a value is invalid.
        """
        fields: dict[str, Any] = {}
        for variable, text in environment.items():
            if not variable.startswith(PREFIX) or variable == ENGINE_VARIABLE or not text:
                continue
            name = variable.removeprefix(PREFIX).lower()
            if name not in cls.model_fields:
                raise UnknownParameter(variable, None, ENVIRONMENT)  # without its value, which may be a secret
            fields[name] = cls._value(name, text)
        return cls(**(fields | {name: value for name, value in given.items() if value is not None}))

    @classmethod
    def _value(cls, name: str, text: str) -> Any:
        kind = cls.model_fields[name].annotation
        if get_origin(kind) is tuple:
            return tuple(part.strip() for part in text.split(",") if part.strip())
        return int(text) if _may_be(int, kind) and re.fullmatch("-?[0-9]{1,9}", text) else text

    @cached_property
    def proxies(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The trusted proxies as networks."""
        return tuple(ip_network(one) for one in self.trusted_proxies)


ENVIRONMENT = tuple(f"{PREFIX}{name.upper()}" for name in Settings.model_fields)
"""Names of the environment variables that are read."""
