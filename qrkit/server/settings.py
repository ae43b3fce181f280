"""Defines the settings of a server: a typed object, set by environment variables, the command line or Python.

To add one: its field with a sentence, its option in `commands/serve.py`, its row in `notebooks/how-to/deploy.md`, and
where it is obeyed. `RELOADABLE` says which of them change while a server runs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AfterValidator, Field

from qrkit.design.limits import MOST_DAYS_KEPT, Whole, Within
from qrkit.errors import InvalidParameter, Problem, UnknownParameter, UnreadableFile
from qrkit.model import Model, broken
from qrkit.store.state_folder import STATE_VARIABLE
from qrkit.tracking.short_urls import base_url_of
from qrkit.tracking.times import zone_of

PREFIX = "QRKIT_"
CONSOLE_VARIABLE = "QRKIT_CONSOLE_TOKEN"
"""The environment variable with the token of `qrkit console`, which is no setting of a server."""
FILE_VARIABLE = "QRKIT_SETTINGS"
"""The environment variable with the path of a settings file."""
SMTP_VARIABLE, SENDER_VARIABLE = "QRKIT_SMTP", "QRKIT_MAIL_FROM"
"""The environment variables with the mail server and the sender of `qrkit report --mail`."""
RELOADABLE = ("access_log", "generates_a_minute", "log_level", "places", "unknown_codes_a_minute")
"""Names of the settings that can change while a server runs; the others are read when it starts."""


def _checked(check: Callable[[str], str]) -> AfterValidator:
    def checked(text: str) -> str:
        try:
            return check(text)
        except InvalidParameter as error:
            raise broken(error.rule) from error

    return AfterValidator(checked)


def _networks(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        try:
            ip_network(text)
        except ValueError as error:
            raise broken(f"{text!r} must be an address or a network, such as 10.0.0.1 or 10.0.0.0/8") from error
    return texts


def _host_names(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if re.search(r"[\s/@?#\\]|.\*|\*.", text) or not text:
            rule = f"{text!r} must be a host name as in a URL, such as shop.example or shop.example:8080, or *"
            raise broken(rule)
    return texts


Rate = Annotated[Whole, Within(0, 1_000_000, "a minute (0 is without limit)")]


def _read_file(path: Path) -> dict[str, Any]:
    """Return the values in a TOML file by setting name."""
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnreadableFile(f"{path} is not a TOML file: {error}") from error
    if "store" in fields:
        raise InvalidParameter(Problem("store", None, f"cannot be set in {path}; use --store or QRKIT_STORE"))
    return fields


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
        description="The file of the store, or the URL of a PostgreSQL database.",
    )
    base_url: Annotated[str, _checked(base_url_of)] | None = Field(
        default=None,
        description="Beginning of all short URLs; by default, the base URL kept in the store. It is never taken from a "
        "request.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: Annotated[Whole, Within(0, 65_535, "(0 is one that is free)")] = Field(
        default=8080, description="Port to listen on; 0 chooses a free port."
    )
    hosts: Annotated[tuple[str, ...], AfterValidator(_host_names)] = Field(
        default=(),
        description="Host names that the server accepts in addition to that of the base URL; * accepts any. IP "
        "addresses and localhost are always accepted.",
    )
    trusted_proxies: Annotated[tuple[str, ...], AfterValidator(_networks)] = Field(
        default=(),
        description="Addresses or networks of proxies whose `X-Forwarded-For` and `X-Request-ID` are trusted.",
    )
    proxy_hops: Annotated[Whole, Within(1, 10, "proxies")] = Field(
        default=1, description="Number of trusted proxies that each request passes through."
    )
    fetch_from: tuple[str, ...] = Field(default=(), description="Hosts from which images of designs may be downloaded.")
    ignore_case: bool | None = Field(
        default=None,
        description="Match short codes regardless of case, which the store remembers. Not possible if short codes "
        "differ only in case.",
    )
    pass_query: tuple[str, ...] = Field(
        default=(),
        description="Query parameters of a short URL that are added to the target of its redirect, such as utm_source; "
        "* adds all. A parameter that the target has itself stays as it is.",
    )
    referrer_policy: Literal["no-referrer", "origin"] = Field(
        default="no-referrer",
        description="What a redirect tells the target about the page with the short URL: nothing, or its origin.",
    )
    strict: bool = Field(
        default=False, description="Answer with 503 instead of redirecting if a visit is not stored in two seconds."
    )
    record_visits: bool = Field(
        default=True, description="Record visits. Otherwise, short URLs work, but nothing is counted."
    )
    keep_days: Annotated[Whole, Within(1, MOST_DAYS_KEPT, "days")] | None = Field(
        default=None,
        description="Days after which visits are reduced to counts; by default, the limit set in the store, if any.",
    )
    archive_after_days: Annotated[Whole, Within(0, MOST_DAYS_KEPT, "days")] | None = Field(
        default=None,
        description="Number of finished days whose visits stay in the store; older ones are moved into Parquet files, "
        "which statistics still include. By default, the server archives nothing.",
    )
    time_zone: Annotated[str, _checked(lambda name: zone_of(name).key)] | None = Field(
        default=None,
        description="Time zone (IANA name) of the midnight after which `qrkit serve` looks for silent codes, unusual "
        "days and experiments with a winner, and sends these events to webhooks and streams; saved in the store. By "
        "default, the one in the store, or else UTC.",
    )
    places: str | None = Field(
        default=None,
        description="A GeoIP database (mmdb) for the country of visits, and for region and city if it contains them. "
        "Addresses are not stored, so locations cannot be looked up later.",
    )
    access_log: bool = Field(
        default=True, description="Log each request as a line of JSON, without query, key or address."
    )
    log_level: Literal["info", "warning", "error"] = Field(
        default="info", description="Lowest level of the messages that `qrkit serve` logs about itself."
    )
    metrics_token_file: str | None = Field(
        default=None,
        description="A file with the token that protects the metrics, of at least 16 characters. Clients send it as a "
        "Bearer token to `/api/v3/metrics`; without this setting, there are no metrics.",
    )
    threads: Annotated[Whole, Within(4, 512, "threads")] = Field(
        default=176,
        description="Number of requests handled at once. Redirects wait for the disk together, so more threads help.",
    )
    processes: Annotated[Whole, Within(1, 1_000, "processes")] = Field(
        default=1,
        description="Number of processes that serve the store. Each applies its share of the limits per address.",
    )
    renders: Annotated[Whole, Within(1, 64, "images")] | None = Field(
        default=None,
        description="Number of images drawn at once, by default one per processor, and at most half of the threads. "
        "The limit applies to plain images and, per account or address, to those that contain images (at most 4; one "
        "more for others).",
    )
    generates_a_minute: Rate = Field(
        default=600,
        description="Number of images per minute that one IPv4 address or IPv6 /64 may generate or decode without a "
        "key; 0 means no limit.",
    )
    unknown_codes_a_minute: Rate = Field(
        default=30,
        description="Number of unknown short URLs per minute that one IPv4 address or IPv6 /64 may request; 0 means no "
        "limit.",
    )

    @classmethod
    def read(cls, environment: Mapping[str, str], **given: Any) -> Settings:
        """Read settings from environment variables and from the TOML file named in `QRKIT_SETTINGS`.

        A variable overrides the file.

        Args:
            environment: Names and values of the variables, as in `os.environ`.
            **given: Fields that override the variables; None means not given.

        Raises:
            UnknownParameter: If a variable begins with `QRKIT_` but is not a setting, which is probably a typo; or if
                the file contains an unknown name.
            InvalidParameter: If a value is invalid, or if the file contains `store`.
            UnreadableFile: If the file cannot be read, or is not TOML.
        """
        others = (CONSOLE_VARIABLE, FILE_VARIABLE, SENDER_VARIABLE, SMTP_VARIABLE, STATE_VARIABLE)
        path = environment.get(FILE_VARIABLE)
        fields = _read_file(Path(path)) if path else {}
        for variable, text in environment.items():
            if not variable.startswith(PREFIX) or variable in others or not text:
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
