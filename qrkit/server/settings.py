"""Defines the settings of a server: one typed object, from environment variables, the command line or Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, get_args, get_origin

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from qrkit.design.limits import MOST_DAYS_KEPT, Whole, Within
from qrkit.errors import InvalidParameter, UnknownParameter
from qrkit.model import Model
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


Rate = Annotated[Whole, Within(0, 1_000_000, "a minute (0 is without limit)")]


def _may_be(kind: Any, annotation: Any) -> bool:
    """Whether an annotation is this type, this type with bounds, or this type or None."""
    return annotation is kind or any(_may_be(kind, part) for part in get_args(annotation))


class Settings(Model):
    """Settings of a server of the HTTP interface.

    Each field can be set by an environment variable, such as `QRKIT_BASE_URL` for `base_url`; lists are separated by
    commas.
    """

    store: str = Field(
        default="qrkit.duckdb",
        repr=False,  # the URL of a database may contain a password
        description="The store's file, or the URL of a PostgreSQL database.",
    )
    base_url: Annotated[str, AfterValidator(_base_url)] | None = Field(
        default=None,
        description="What short URLs begin with; by default, the base URL kept in the store. It never comes from a "
        "request.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: Annotated[Whole, Within(0, 65_535, "(0 is one that is free)")] = Field(
        default=8080, description="Port to listen on; 0 is one that is free."
    )
    hosts: Annotated[tuple[str, ...], AfterValidator(_host_names)] = Field(
        default=(),
        description="Names besides that of the base URL that the server answers for; * is any. IP addresses and "
        "localhost are always accepted.",
    )
    trusted_proxies: Annotated[tuple[str, ...], AfterValidator(_networks)] = Field(
        default=(), description="Addresses or networks of proxies whose `X-Forwarded-For` is trusted."
    )
    proxy_hops: Annotated[Whole, Within(1, 10, "proxies")] = Field(
        default=1, description="Number of trusted proxies in front of the server, one behind the other."
    )
    fetch_from: tuple[str, ...] = Field(default=(), description="Hosts that images of designs may be downloaded from.")
    strict: bool = Field(
        default=False, description="Answer a redirect with 503 if its visit is not stored durably within two seconds."
    )
    record_visits: bool = Field(
        default=True, description="Record visits. Otherwise, short URLs work and nothing is counted."
    )
    keep_days: Annotated[Whole, Within(1, MOST_DAYS_KEPT, "days")] | None = Field(
        default=None,
        description="Days after which visits are reduced to counts; by default, what the store keeps, else forever.",
    )
    places: str | None = Field(
        default=None,
        description="A GeoIP database (mmdb) for the country of visits, and region and city if it has them. Addresses "
        "are not stored, so a location that is not looked up with the visit is never known.",
    )
    access_log: bool = Field(
        default=True, description="Log each request as a line of JSON, without query, key or address."
    )
    threads: Annotated[Whole, Within(4, 512, "threads")] = Field(
        default=64,
        description="Requests that are handled at once. Redirects wait for the disk together, so more threads help.",
    )
    processes: Annotated[Whole, Within(1, 1_000, "processes")] = Field(
        default=1, description="Processes that serve the store. Each applies its share of the limits per address."
    )
    renders: Annotated[Whole, Within(1, 64, "images")] | None = Field(
        default=None, description="Images that are drawn or read at once; by default, one per processor."
    )
    generates_a_minute: Rate = Field(
        default=600, description="Images that one address may generate or decode without a key; 0 is no limit."
    )
    unknown_codes_a_minute: Rate = Field(
        default=30, description="Unknown short URLs that one address may ask for; 0 is no limit."
    )

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
        # Not above: the help of the command line shows settings, and draws nothing.
        from qrkit.drawing.untrusted.rasteriser import ENGINE_VARIABLE
        from qrkit.store.postgresql.database import STATE_VARIABLE

        fields: dict[str, Any] = {}
        for variable, text in environment.items():
            if not variable.startswith(PREFIX) or variable in (ENGINE_VARIABLE, STATE_VARIABLE) or not text:
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
