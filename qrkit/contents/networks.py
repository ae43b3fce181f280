"""Contents that join a phone to a Wi-Fi network.

The format is that of ZXing's wiki ("Barcode Contents"), which Android and iOS read; `SAE` and the enterprise fields are
those of the Wi-Fi Alliance (WPA3 Specification 3.0, section 7) and of Android.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from qrkit.contents.kinds import kind
from qrkit.contents.syntax import pairs, write_pairs
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter, Problem

__all__ = ["read_wifi", "wifi"]

Ssid = Annotated[
    str,
    Strict(),
    Length(1, 32),
    Field(title="Network name", description="The SSID, as phones show it in their list.", examples=["Nero"]),
]
Password = Annotated[
    Annotated[str, Strict(), Length(1, 128)] | None,
    Field(repr=False, description="The password; leave it out for an open network.", examples=["espresso"]),
]
Security = Annotated[
    Literal["WPA", "WPA3", "WEP", "none"],
    Field(description="`WPA` joins WPA, WPA2 and mixed WPA3 networks; `WPA3` only networks without WPA2."),
]
Hidden = Annotated[bool, Field(title="Hidden network", description="Whether the network does not announce its name.")]

SECURITIES = {"WPA": "WPA", "WPA3": "SAE", "WEP": "WEP", "none": "nopass"}
"""The word of the format for each kind of security."""


@kind("Wi-Fi network", behind="page")
def wifi(ssid: Ssid, password: Password = None, *, security: Security = "WPA", hidden: Hidden = False) -> str:
    """Join a phone to a Wi-Fi network.

    Raises:
        InvalidParameter: If a field breaks its rule, or a secured network has no password.

    Example:
        >>> from qrkit import contents
        >>> str(contents.wifi("Cafe Nero", "espresso"))
        'WIFI:T:WPA;S:Cafe Nero;P:espresso;;'
    """
    if security != "none" and not password:
        raise InvalidParameter(
            Problem("password", None, f"is required for {security}; for an open network, security is none")
        )
    said = [("T", SECURITIES[security]), ("S", ssid), ("P", password or ""), ("H", "true" if hidden else "")]
    return write_pairs("WIFI", said)


def read_wifi(text: str) -> dict[str, Any] | None:
    """Return the fields of a network, or None for any other text."""
    values = dict(reversed(list(pairs(text.partition(":")[2]))))
    if not values.get("S"):
        return None
    names = {word.upper(): name for name, word in SECURITIES.items()}
    security = names.get(values.get("T", "").upper(), "none")
    fields = {"ssid": values["S"], "password": values.get("P"), "security": security}
    return {**fields, "hidden": values.get("H", "").lower() == "true"}
