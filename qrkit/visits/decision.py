"""Decides what the visitor of a short URL gets, from its rules, limits, times and password (ruling T20)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple

from qrkit.store.recording.scan_numbers import ScanNumber
from qrkit.store.records.short_codes import NO_TERMS_AT_ALL, Target
from qrkit.tracking.schedule import active_event
from qrkit.tracking.times import to_iso
from qrkit.visits.remembered_variants import remembered_variant
from qrkit.visits.rule_conditions import Visitor, drawn_variant, first_rule

__all__ = ["Decision", "Reason", "decide"]

Reason = Literal["content", "schedule", "rule", "not-before", "not-after", "limit", "password", "inactive"]
"""Why a visitor gets what; the last five are refusals."""


class Decision(NamedTuple):
    """What a visitor gets, and why.

    Attributes:
        reason: What decided.
        content: The content; None if there is none, so that a page says so, or asks for the password.
        rule: Index of the rule that applied; None if none did.
        sentence: The reason in words, for the owner.
        variant: Name of the variant; None if the rule that applied has none.
        split: The number of the variants among which this one was drawn; None if none was drawn, because a cookie has
            kept the variant of an earlier day.
    """

    reason: Reason
    content: str | None
    rule: int | None
    sentence: str
    variant: str | None = None
    split: int | None = None


def decide(
    target: Target, visitor: Visitor, number: Callable[[], ScanNumber | None], *, is_let_in: bool = False
) -> Decision:
    """Decide what a visitor gets from a QR Code.

    Args:
        target: The target of a short code that is neither unknown nor deleted.
        visitor: What is known of the request.
        number: Takes the number of the scan if there is any need; returns None if a limit is exceeded.
        is_let_in: Whether the visitor has typed the password.
    """
    terms, moment = target.terms or NO_TERMS_AT_ALL, visitor.moment
    if not terms.active:
        return Decision("inactive", None, None, "it is switched off")
    if terms.valid_since and moment < terms.valid_since:
        told = f"it leads nowhere before {to_iso(terms.valid_since)}"
        return Decision("not-before", terms.otherwise or None, None, told)
    if terms.valid_until and moment >= terms.valid_until:
        told = f"it leads nowhere from {to_iso(terms.valid_until)} on"
        return Decision("not-after", terms.otherwise or None, None, told)
    if terms.password and not is_let_in:
        return Decision("password", None, None, "the visitor has to type the password first")
    if terms.needs_number:
        taken = number()
        if taken is None:
            parts = {"in all": terms.limit, "a day": terms.limit_a_day}
            told = " or ".join(f"{most:,} {when}" for when, most in parts.items() if most)
            return Decision("limit", terms.otherwise or None, None, f"it has had all its scans, {told}")
        visitor = replace(visitor, number=taken)
    rule = first_rule(terms.rules, visitor)
    if rule is not None:
        applied = terms.rules[rule]
        told = f"rule {rule + 1} of {len(terms.rules)} applies: {applied}"
        if not applied.variants:
            return Decision("rule", applied.content, rule, told)
        kept = remembered_variant(applied, visitor.headers) if applied.remember_days else None
        variant = kept or drawn_variant(applied, visitor)
        told += f"; the visitor {'still has' if kept else 'has'} variant {variant.name!r}"
        return Decision("rule", variant.content, rule, told, variant.name, None if kept else applied.split)
    beside = "no rule applies; " if terms.rules else ""
    event = active_event(target.schedule, moment) if target.schedule else None
    if event is not None:
        told = f"{beside}event {event + 1} of its schedule is active"
        return Decision("schedule", target.schedule[event].content, None, told)
    return Decision("content", target.content, None, f"{beside}it gets the content of the QR Code")
