"""The options of `qrkit add`, `qrkit set` and `qrkit explain` that say where a short URL leads whom, and when."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from qrkit.commands.output import print_json
from qrkit.commands.parsing import Parser, add_json
from qrkit.commands.stores import add_store, opened
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import read_file
from qrkit.tracking.redirect_rules import TYPES

SHORT = {
    "country": "geolocation-country-code",
    "region": "geolocation-region-name",
    "city": "geolocation-city-name",
    "query": "query-param",
    "referrer": "referrer-host",
    "address": "ip-address",
    "before": "before-date",
    "after": "after-date",
    "scan": "scan-number",
}
"""Short names of conditions."""
_CONDITION = re.compile(r"(?P<type>[a-z-]+)(?:\((?P<key>[^()]*)\))?(?:(?P<negated>!)?=(?P<values>.*))?", re.DOTALL)


def add_terms(one: argparse.ArgumentParser) -> None:
    """Add the options to a command that makes or changes QR Codes."""
    add_rules(one)
    since = 'lead nowhere before TIME (2026-12-01T08:00:00Z); "" removes it'
    one.add_argument("--since", dest="valid_since", metavar="TIME", help=since)
    until = 'lead nowhere from TIME on; "" removes it'
    one.add_argument("--until", dest="valid_until", metavar="TIME", help=until)
    one.add_argument("--limit", type=int, metavar="N", help="lead nowhere after N scans; 0 for no limit")
    one.add_argument("--limit-a-day", type=int, metavar="N", help="lead nowhere after N scans on a UTC day")
    otherwise = "a URL, or a text to show, when the code would otherwise lead nowhere"
    one.add_argument("--otherwise", metavar="TEXT", help=otherwise)
    word = 'what visitors must type; "" removes it; - asks for it, or reads it from a pipe'
    one.add_argument("--password", metavar="WORD", help=word)
    query = "whether to add the query of a visitor's short URL to the target (default: the setting of the server)"
    one.add_argument("--pass-query", choices=("yes", "no", ""), metavar="yes|no", help=query)
    click = "add an ID of the scan to links, under this parameter, so that conversions can name it"
    one.add_argument("--click-id", metavar="NAME", help=click)
    switch = one.add_mutually_exclusive_group()
    off = "lead nowhere for the time being"
    switch.add_argument("--off", dest="active", action="store_false", default=None, help=off)
    switch.add_argument("--on", dest="active", action="store_true", default=None, help="undo --off")


def add_rules(one: argparse.ArgumentParser) -> None:
    """Add the options for rules."""
    rule = (
        "lead some visitors elsewhere: conditions and a content, such as 'device=ios language!=de,fr "
        "https://example.com'; repeat it for several, of which the first that applies answers"
    )
    one.add_argument("--rule", action="append", default=[], metavar="RULE", help=rule)
    rules = "the same rules as JSON or a JSON file, also as Shlink writes them; [] removes all rules"
    one.add_argument("--rules", metavar="JSON", help=rules)


def terms_of(asked: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `insert_qrcode` and `update_qrcode` that the options ask for."""
    names = ("valid_since", "valid_until", "limit", "limit_a_day", "otherwise", "active", "click_id")
    given: dict[str, Any] = {name: getattr(asked, name) for name in names} | {"password": _password(asked)}
    if asked.pass_query is not None:
        given["pass_query"] = asked.pass_query and asked.pass_query == "yes"
    return {name: value for name, value in given.items() if value is not None} | rules_of(asked)


def rules_of(asked: argparse.Namespace) -> dict[str, list[Any]]:
    """Return the argument `rules` that the options ask for, if any."""
    if asked.rule and asked.rules is not None:
        raise InvalidParameter(Problem("rules", asked.rules, "cannot be combined with --rule"))
    if asked.rule:
        return {"rules": [_rule(text) for text in asked.rule]}
    if asked.rules is None:
        return {}
    return {"rules": json_list("rules", asked.rules, "objects with conditions, and content or variants")}


def define_explain(one: Parser) -> None:
    """Define the command `explain`."""
    from qrkit.visits.sample_visitors import SAMPLES

    one.add_argument("code", metavar="CODE", help="short code, short URL, name or ID of a QR Code")
    one.add_argument("--device", choices=SAMPLES, metavar="DEVICE", help=f"device of the visitor: {', '.join(SAMPLES)}")
    one.add_argument("--user-agent", default="", metavar="TEXT", help="user agent of the visitor, as browsers send it")
    named = {"address": "IP address of the visitor", "query": "query of the short URL, such as utm_source=poster"}
    named["language"] = "languages that the browser asks for, such as de-AT"
    for name in ("language", "country", "region", "city", "query", "address", "referrer"):
        one.add_argument(f"--{name}", default="", metavar="TEXT", help=named.get(name, f"{name} of the visitor"))
    one.add_argument("--at", metavar="TIME", help="time of the visit, such as 2026-12-24T18:00:00Z (now)")
    add_store(one)
    add_json(one, "reason, content, rule (from 1), sentence")
    one.set_defaults(run=_explain)


def _explain(asked: argparse.Namespace) -> None:
    from qrkit.visits.sample_visitors import sample_request

    sent = ("user_agent", "language", "referrer", "address", "query")
    request = sample_request(device=asked.device or "", **{name: getattr(asked, name) for name in sent})
    place = {name: getattr(asked, name) for name in ("country", "region", "city")}
    with opened(asked, to_read=True) as portfolio:
        found = portfolio.explain(asked.code, request, at=asked.at, **place)
    if asked.json:
        number = None if found.rule is None else found.rule + 1
        print_json(reason=found.reason, content=found.content, rule=number, sentence=found.sentence)
    else:
        print(f"{found.content or 'nowhere'}: {found.sentence}")


def _password(asked: argparse.Namespace) -> str | None:
    if asked.password != "-":
        return asked.password and str(asked.password)
    from getpass import getpass

    is_asked = sys.stdin.isatty()
    word = getpass("Password of the QR Code: ") if is_asked else sys.stdin.readline().rstrip("\r\n")
    if not word:  # a pipe that failed must not remove the password
        raise InvalidParameter(Problem("--password", None, 'is empty; write --password "" to remove it'))
    return word


def _rule(text: str) -> dict[str, Any]:
    """Return the rule that a text such as `device=ios language!=de,fr https://example.com` says."""
    *conditions, content = text.split(" ") if " " in text else ("", text)
    return {"content": content, "conditions": [_condition(one, text) for one in conditions if one]}


def _condition(text: str, rule: str) -> dict[str, Any]:
    found = _CONDITION.fullmatch(text)
    kind = SHORT.get(found["type"], found["type"]) if found else ""
    if not found or kind not in TYPES:
        told = "must be conditions and a content, such as 'device=ios language!=de,fr https://example.com'; "
        known = ", ".join([*SHORT, *(name for name in TYPES if name not in SHORT.values())])
        raise InvalidParameter(Problem("rule", rule, f"{told}{text!r} is not a condition; known are {known}"))
    values = found["values"].split(",") if found["values"] else []
    return {"type": kind, "match_key": found["key"] or "", "match_value": values, "is_negated": bool(found["negated"])}


def json_list(option: str, text: str, what: str) -> list[Any]:
    """Return the list that an option gives as JSON or as a file with JSON; of rules, also as Shlink writes them."""
    data = text if text.lstrip().startswith(("[", "{")) else read_file(Path(text))
    try:
        found = json.loads(data)
    except ValueError as error:
        raise InvalidParameter(Problem(option, text, f"is not JSON: {error}")) from error
    if option == "rules" and isinstance(found, dict):
        found = found.get("redirectRules")
    if not isinstance(found, list):
        raise InvalidParameter(Problem(option, text, f"must be a JSON list of {what}"))
    return found
