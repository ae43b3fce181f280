"""Contents that set up an authenticator app: the secret of one-time passwords.

The format is the Key Uri Format of Google Authenticator, which other apps read; the passwords are those of RFC 6238
(by time) and RFC 4226 (by counter).
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import AfterValidator, Field, StrictStr

from qrkit.contents.kinds import accepted, kind
from qrkit.contents.single_lines import OneLine, Pasted, matching, requiring
from qrkit.contents.syntax import decode, read_query, write_query
from qrkit.design.limits import Length, Whole, Within
from qrkit.errors import InvalidParameter, Problem

LONGEST_TEXT = 4_096
NUMBERS = ("digits", "period", "counter")
SECONDS = 30
"""How long a password by time is valid by default."""


def _compact(text: str) -> str:
    return text.replace(" ", "").replace("-", "").upper().rstrip("=")


Secret = Annotated[
    StrictStr,
    AfterValidator(_compact),
    Length(8, 512),
    matching("[A-Z2-7]+", "must be base32: letters and digits from 2 to 7"),
    # A group of 8 letters holds 5 bytes, and no whole number of bytes ends after 1, 3 or 6 letters (RFC 4648).
    requiring(lambda secret: len(secret) % 8 not in (1, 3, 6), "is incomplete: no base32 secret has this length"),
    Pasted(),
    Field(
        repr=False,
        description="The shared secret in base32; spaces and hyphens are removed.",
        examples=["JBSWY3DPEHPK3PXP"],
    ),
]
_NO_COLON = matching("[^:]+", "must not have a colon, which separates issuer and account")
_Name = Annotated[OneLine, Length(1, 200), _NO_COLON]
Account = Annotated[
    _Name,
    Field(description="The name of the account in the app, such as an e-mail address.", examples=["ana@example.com"]),
]
Issuer = Annotated[
    _Name | None,
    Field(description="The company or service that the account is with.", examples=["Example"]),
]
Digits = Annotated[Literal[6, 7, 8], Field(description="How many digits a password has.")]
Period = Annotated[
    Whole, Within(1, 3_600, "seconds"), Field(description="How long a password is valid, unless there is a counter.")
]
Algorithm = Annotated[Literal["SHA1", "SHA256", "SHA512"], Field(description="The hash; many apps know only `SHA1`.")]
Counter = Annotated[
    Annotated[Whole, Within(0, 2**63 - 1, "passwords")] | None,
    Field(description="First value of the counter (HOTP). Without one, passwords change with time (TOTP)."),
]


@kind("One-time password", behind="never")
def otp(
    secret: Secret,
    *,
    account: Account,
    issuer: Issuer = None,
    digits: Digits = 6,
    period: Period = SECONDS,
    algorithm: Algorithm = "SHA1",
    counter: Counter = None,
) -> str:
    """Set up one-time passwords in an authenticator app.

    Raises:
        InvalidParameter: If a field breaks its rule, or there are both a period and a counter.

    Example:
        >>> from qrkit import contents
        >>> contents.otp("JBSWY3DPEHPK3PXP", account="alice@google.com", issuer="Example")
        <Content otp, secret='…', account='alice@google.com', issuer='Example'>
    """
    if counter is not None and period != SECONDS:
        raise InvalidParameter(Problem("period", period, "must be left out, because there is a counter"))
    label = ":".join(quote(part, safe="@") for part in (issuer, account) if part)
    values = [
        ("secret", secret),
        ("issuer", issuer),
        ("algorithm", None if algorithm == "SHA1" else algorithm),
        ("digits", None if digits == 6 else str(digits)),
        ("period", None if period == SECONDS else str(period)),
        ("counter", None if counter is None else str(counter)),
    ]
    return f"otpauth://{'totp' if counter is None else 'hotp'}/{label}?{write_query(values)}"


def read_otp(text: str) -> dict[str, Any] | None:
    """Return the fields of one-time passwords, or None for any other text."""
    start, _, query = text.partition("?")
    scheme, _, path = start.partition("://")
    by = path.partition("/")[0].lower()
    label = decode(path[len(by) + 1 :])
    values = read_query(query, is_form=True) if len(text) <= LONGEST_TEXT else None
    if not values or label is None or scheme.lower() != "otpauth" or by not in ("totp", "hotp"):
        return None
    issuer, account = label.split(":", 1) if ":" in label else ("", label)
    fields: dict[str, Any] = {"secret": values.get("secret", ""), "account": account}
    fields |= {"issuer": values.get("issuer") or issuer, "algorithm": values.get("algorithm", "").upper()}
    if by == "hotp":
        fields["counter"] = _whole(values.get("counter", ""))
    elif values.get("period"):
        fields["period"] = _whole(values["period"])
    if values.get("digits"):
        fields["digits"] = _whole(values["digits"])
    return accepted("otp", fields) if None not in (fields.get(name, 0) for name in NUMBERS) else None


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,19}", text) else None
