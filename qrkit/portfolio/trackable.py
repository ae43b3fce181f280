"""Rejects contents that cannot work behind a short URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qrkit.contents.reading import title_if_read_from_code
from qrkit.errors import InvalidParameter, Problem, raise_any
from qrkit.portfolio.code_pictures import check_drawable, fits
from qrkit.store import Store
from qrkit.store.records.short_codes import spelling
from qrkit.tracking.records import QRCode
from qrkit.tracking.redirect_rules import RedirectRule, unanswered
from qrkit.tracking.short_urls import slug
from qrkit.tracking.times import to_iso

CHECKED_TOGETHER = ("content", "schedule", "rules", "otherwise", "valid_since", "valid_until")
"""Fields that may break a rule together with others of the QR Code."""


def check_trackable(code: QRCode, before: QRCode | None = None) -> None:
    """Check that scans of a QR Code can be counted: its content must work behind a short URL.

    No content may lead to the short URL itself, each rule must be able to answer, and the time must not end before it
    begins. `before` is the QR Code that the short URL stands for already. If it is printed, it must go on answering, so
    its contents may stay, and so may its rules if none of them changed.
    """
    if not code.is_dynamic:
        return
    contents, own = contents_of_code(code), code.short_url.lower()
    known = contents_of_code(before).values() if before and before.is_dynamic else ()
    new = {name: text for name, text in contents.items() if text not in known}
    problems = [_problem(name, title) for name, title in titles_read_from_code(new).items()]
    problems += [
        Problem(name, text, "is the short URL of this QR Code itself; choose another target", "bad-content")
        for name, text in contents.items()
        if own and text.strip().partition("#")[0].partition("?")[0].rstrip("/").lower() == own
    ]
    since, until = code.valid_since, code.valid_until
    if since and until and until <= since:
        rule = f"must be later than {to_iso(since)}, when the code becomes valid"
        problems.append(Problem("valid_until", to_iso(until), rule))
    is_known = before is not None and before.rules == code.rules
    raise_any(problems if is_known else [*problems, *unanswered_rules(code.rules)])


def contents_of_code(code: QRCode) -> dict[str, str]:
    """Return all contents that scans of a QR Code may lead to, by the path of their field."""
    contents = {"content": code.content}
    if code.otherwise:
        contents["otherwise"] = code.otherwise
    for number, event in enumerate(code.schedule):
        contents[f"schedule.{number}.content"] = event.content
    for number, rule in enumerate(code.rules):
        if rule.content:
            contents[f"rules.{number}.content"] = rule.content
        for place, variant in enumerate(rule.variants):
            contents[f"rules.{number}.variants.{place}.content"] = variant.content
    return contents


def titles_read_from_code(contents: Mapping[str, str]) -> dict[str, str]:
    """Return the titles of those contents that apps read from the code itself, by the path of their field."""
    return {name: title for name, text in contents.items() if (title := title_if_read_from_code(text))}


def unanswered_rules(rules: Sequence[RedirectRule]) -> list[Problem]:
    """Return the problems of rules that never answer."""
    told = unanswered(rules)
    return [Problem(f"rules.{number}", str(rules[number]), f"never takes effect: {reason}") for number, reason in told]


def check_change(before: QRCode, after: QRCode) -> None:
    """Check that a changed QR Code can be drawn and tracked; what broke a rule before may stay."""
    drawn_before, drawn_after = before.properties, after.properties
    is_other = (drawn_after.version, drawn_after.em) != (drawn_before.version, drawn_before.em)
    if is_other or fits(before.encoded, drawn_before):
        check_drawable(after.encoded, after.properties, is_dynamic=after.is_dynamic)
    if any(getattr(before, name) != getattr(after, name) for name in (*CHECKED_TOGETHER, "is_dynamic")):
        check_trackable(after, before)


def check_tail(store: Store, short_code: str, urlinfo: str) -> None:
    """Check that the short URL of a QR Code does not lead to another one, whose code is this code and its tail."""
    address = f"{short_code}/{slug(urlinfo)}"
    if urlinfo and spelling(store, address):
        raise InvalidParameter(Problem("urlinfo", urlinfo, f"makes the short URL of the QR Code {address!r}"))


def _problem(name: str, title: str) -> Problem:
    rule = (
        f"is of the kind '{title}', which apps read from the code itself and not from a page; no short URL can stand "
        "for it: draw it with generate, or make the code static"
    )
    return Problem(name, None, rule, "never-behind-short-url")
