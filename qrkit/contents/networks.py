"""Contents that join a phone to a Wi-Fi network.

The format is that of ZXing's wiki ("Barcode Contents"), which Android and iOS read, with the fields of the Wi-Fi
Alliance (WPA3 Specification, section 7: `SAE`, and percent-encoding in texts with `R`) and of Android (enterprise
networks: `E`, `PH2`, `I`, `A`). Names and passwords that look like hexadecimal digits are not put in quotes, as that
wiki suggests: iOS would take the quotes as part of them.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictStr

from qrkit.contents.kinds import kind
from qrkit.contents.single_lines import check_characters
from qrkit.contents.syntax import network_of, security_of, write_pairs
from qrkit.design.limits import Length
from qrkit.errors import Problem, raise_any
from qrkit.model import broken

MOST_BYTES = 32
"""Bytes of a network's name (IEEE 802.11, 9.4.2.2)."""


def _ssid(text: str) -> str:
    size = len(text.encode())
    if size > MOST_BYTES:
        raise broken(f"must have at most {MOST_BYTES} bytes as UTF-8, not {size}")
    return _printable(text)


def _printable(text: str) -> str:
    return check_characters(text, lambda one: one < " " or one == "\x7f")


def _security(value: Any) -> Any:
    """Return the kind of security that a word of a router or program names; return other values unchanged."""
    return (security_of(value) if isinstance(value, str) else "") or value


Ssid = Annotated[
    StrictStr,
    Length(1, 32),
    AfterValidator(_ssid),
    Field(title="Network name", description="The SSID, as phones show it in their list.", examples=["Nero"]),
]
Printable = Annotated[StrictStr, Length(1, 128), AfterValidator(_printable)]
Password = Annotated[
    Printable | None,
    Field(repr=False, description="The password; leave it out for an open network.", examples=["espresso"]),
]
Security = Annotated[
    Literal["WPA", "WPA3", "WEP", "none", "enterprise"],
    BeforeValidator(_security),
    Field(
        description="`WPA` joins WPA, WPA2 and mixed WPA3 networks; `WPA3` only networks without WPA2. With "
        "`enterprise`, every person has a user name."
    ),
]
Hidden = Annotated[bool, Field(title="Hidden network", description="Whether the network does not announce its name.")]
UserName = Annotated[Printable | None, Field(title="User name", description="Of an enterprise network.")]
Method = Annotated[
    Literal["PEAP", "TTLS", "PWD", "TLS"] | None,
    Field(title="Sign-in method", description="EAP method of an enterprise network; PEAP is usual."),
]
Phase2 = Annotated[
    Literal["MSCHAPV2", "PAP", "GTC", "MSCHAP"] | None,
    Field(title="Inner method", description="Phase 2 method of an enterprise network; MSCHAPV2 is usual."),
]
Anonymous = Annotated[
    Printable | None,
    Field(title="Anonymous identity", description="The name that is sent before the connection is encrypted."),
]

SECURITIES = {"WPA": "WPA", "WPA3": "SAE", "WEP": "WEP", "none": "nopass", "enterprise": "WPA2-EAP"}
"""The word of the format for each kind of security."""
PASSWORDS = {
    "WPA": (r"[ -~]{8,63}|[0-9A-Fa-f]{64}", "must have 8..63 characters of ASCII, or 64 hexadecimal digits"),
    "WPA3": (r".{1,128}", "must have 1..128 characters"),
    "WEP": (
        r"[ -~]{5}|[ -~]{13}|[0-9A-Fa-f]{10}|[0-9A-Fa-f]{26}",
        "must have 5 or 13 characters, or 10 or 26 digits",
    ),
}
"""What a password may be (IEEE 802.11, 12.7.2 and annex J.4), by security."""


@kind("Wi-Fi network", behind="page")
def wifi(
    ssid: Ssid,
    password: Password = None,
    *,
    security: Security = "WPA",
    hidden: Hidden = False,
    user_name: UserName = None,
    method: Method = None,
    inner_method: Phase2 = None,
    anonymous_identity: Anonymous = None,
) -> str:
    """Join a phone to a Wi-Fi network.

    Raises:
        InvalidParameter: If a field breaks its rule, a secured network has no password or one that it cannot have, or
            fields of an enterprise network are given for another.

    Example:
        >>> from qrkit import contents
        >>> str(contents.wifi("Cafe Nero", "espresso"))
        'WIFI:T:WPA;S:Cafe Nero;P:espresso;;'
    """
    enterprise = {
        "user_name": ("I", user_name),
        "method": ("E", method),
        "inner_method": ("PH2", inner_method),
        "anonymous_identity": ("A", anonymous_identity),
    }
    problems = [_password_problem(password, security)]
    if security != "enterprise":
        given = {name: value for name, (_, value) in enterprise.items() if value}
        problems += [Problem(name, value, "is for security enterprise only") for name, value in given.items()]
    elif not user_name and method != "TLS":
        problems.append(Problem("user_name", None, "is required for security enterprise", "missing-parameter"))
    raise_any(filter(None, problems))
    first = [("T", SECURITIES[security]), ("S", ssid), ("P", password), ("H", "true" if hidden else "")]
    return write_pairs("WIFI", [*first, *enterprise.values()])


def _password_problem(password: str | None, security: str) -> Problem | None:
    if security == "none":
        return Problem("password", password, "must be left out for an open network") if password else None
    if security == "enterprise":
        return None
    if not password:
        rule = f"is required for {security}; for an open network, security is none"
        return Problem("password", None, rule, "missing-parameter")
    pattern, rule = PASSWORDS[security]
    return (
        None if re.fullmatch(pattern, password, re.DOTALL) else Problem("password", password, f"{rule} for {security}")
    )


def read_wifi(text: str) -> dict[str, Any] | None:
    """Return the fields of a network, or None for any other text."""
    values = network_of(text.partition(":")[2])
    if not values.get("S"):
        return None
    # Many write nothing at all for an open network, and some for one with a password.
    security = _security(values.get("T") or ("WPA" if values.get("P") else "none"))
    security = security if security in SECURITIES else "WPA"
    fields: dict[str, Any] = {"ssid": values["S"], "password": values.get("P"), "security": security}
    fields |= {"user_name": values.get("I"), "method": values.get("E", "").upper()}
    fields |= {"inner_method": values.get("PH2", "").upper()}
    fields |= {"anonymous_identity": values.get("A"), "hidden": values.get("H", "").lower() == "true"}
    return fields
