"""Cookies that keep the variant of a visitor for longer than a day, where the owner of a QR Code has asked for them.

They hold which variant it is, and nothing about the visitor. A change of the variants ends them.
"""

from __future__ import annotations

from collections.abc import Mapping

from qrkit.tracking.redirect_rules import RedirectRule, Variant

NAME = "qrkit-variant"


def cookie_in(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a cookie of a request; "" if there is none. Other cookies of the host may have any form."""
    cookies = (one.strip().partition("=") for one in headers.get("cookie", "").split(";"))
    return next((value for known, _, value in cookies if known == name), "")


def remembered_variant(rule: RedirectRule, headers: Mapping[str, str]) -> Variant | None:
    """Return the variant of a rule that the cookie of a request names; None if it names none."""
    named = {_value(rule, number): one for number, one in enumerate(rule.variants)}
    return named.get(cookie_in(headers, NAME))


def variant_cookie(rule: RedirectRule, name: str) -> str:
    """Return the name, the value and the age of the cookie that keeps a variant of a rule."""
    number = next(number for number, one in enumerate(rule.variants) if one.name == name)
    return f"{NAME}={_value(rule, number)}; Max-Age={rule.remember_days * 86_400}"


def _value(rule: RedirectRule, number: int) -> str:
    return f"{rule.split:x}.{number}"
