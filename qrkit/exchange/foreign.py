"""Import link lists exported by other tools, so that printed codes keep working; one definition per export format.

A tool is recognized by names of columns (csv, xls, xlsx) or object members (json) that no other tool uses. A column of
counts is read under any of the names in `COUNTS`, because people add one to files that lack it. The definitions are in
`foreign_tools.toml`, each with its source in public code, as of 2026; none of these tools guarantees its names.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from qrkit.errors import InvalidParameter
from qrkit.exchange import columns
from qrkit.exchange.columns import HEADINGS, NO, OFF, YES
from qrkit.exchange.foreign_terms import LIMIT, LIMIT_A_DAY, LIMITS, PASSWORD, SINCE, UNTIL, read_terms, term_named
from qrkit.exchange.foreign_terms import NAMES as TERMS
from qrkit.exchange.local_dates import LocalDates
from qrkit.exchange.marked_cells import value_text
from qrkit.tracking.own_fields import split_tags
from qrkit.tracking.short_urls import IN_PATH, path_of, with_scheme
from qrkit.tracking.times import IN_TABLE_FORM, from_iso, to_table

LINKS: dict[str, tuple[str, ...]] = {what: tuple(names) for what, names in HEADINGS["links"].items()}
"""The names of fields of links, by what they hold."""
_OURS = {plain: column for column, names in HEADINGS["ours"].items() for plain in names}
OUR_NAME = "content"
"""The column name that all of our own files contain, and no other tool's files do."""
PASS_QUERY = ("forwardquery", "forwardparameters", "forwardparams", "paramforwarding")
"""Where Shlink, Rebrandly and others say whether the query of a visitor is added to the target."""
SKIP_QUERY = ("skipqs",)
"""Where Short.io says that it is not."""
PASSING = frozenset({"Shlink", "Dub", "Short.io"})
"""Services that add the query of a visitor to the target, unless the file says otherwise."""
VISITORS_WIN = frozenset({"Shlink", "Dub"})
"""Those in which a parameter of the visitor replaces the one that the target has; in qrkit, it never does."""
ON, OFTEN_ON, STATUS = LINKS["on"], LINKS["often_on"], LINKS["status"]
SWITCHES = frozenset((*ON, *OFTEN_ON, *STATUS))
"""Where services say that a link works."""
DYNAMIC = ("dynamic", "isdynamic")
_STATIC, _OF_TYPES = frozenset(HEADINGS["words"]["static"]), re.compile("|".join(HEADINGS["words"]["types"]))
OFF_STATES = OFF | NO
"""Words for a link that is off."""
KNOWN_STATES = columns.ON | OFF_STATES | YES | {""}
HTTP_STATUS = re.compile("[1-5][0-9]{2}")
COUNTS, SHORT_URLS, CODES = LINKS["counts"], LINKS["short_urls"], LINKS["codes"]
CLEAR_TARGETS = LINKS["targets"]
TARGETS = (*CLEAR_TARGETS, *LINKS["unclear_targets"])
SECONDS = ("_seconds", "seconds")
_WHAT_CLOSES = re.compile("|".join(HEADINGS["terms"]["closes"]))
"""Fields that close, limit or change a link, plainly written (`plain_name`), where `read_terms` cannot read them."""
_NOT_SET, _NO_END = (re.compile("|".join(HEADINGS["words"][what]), re.IGNORECASE) for what in ("not_set", "no_end"))
"""What says that a field is not set, besides the words for no; the second says so of any but a password."""
PRIMES = str.maketrans("01", "\u2032\u2033")
"""The signs behind the names of columns that are there already: the second is Password\u2033."""
NOTHING = frozenset({"", "NULL", "\\N", "nan"})
"""What databases write into a file for no value, and the text of a number that is none."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NO_MOMENT = re.compile(r"0000-00-00([ T][0:.]+Z?)?")
"""The zero timestamp that MySQL writes for an unknown timestamp."""
_DATES = LocalDates()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The names of a tool's export fields, of which letters and digits count; `a.b` is the member b of the object a.

    If a field lists several names, the first name with a non-empty value is used.

    Attributes:
        name: The tool, with the export format if the tool has several.
        known_by: Names that identify the tool when all of them are present.
        beside: The only other names that a file may have; for names that other tools also use. None: any other names.
        url: The short URL; empty if the tool exports the short code under such a name.
        code: The short code, or a URL that ends with the short code; empty if the tool does not export short codes.
        domain: The host of the short URL, if the file contains only the short code.
        created: The creation timestamp in ISO 8601, in UTC if there is no offset; a date of zeros counts as missing.
        count: The number of clicks, if it has another name than those in `COUNTS`, or goes before them.
        tags: The tags, as a text separated by `|` or `,`, or as a list. A single tag is the campaign, too.
        limits_in: The export that says which links have a password, an end or a limit, if this one does not.
        means: Names of its own, with the name that others give to the same field.
    """

    name: str
    known_by: tuple[str, ...]
    beside: tuple[str, ...] | None = None
    url: tuple[str, ...] = SHORT_URLS
    code: tuple[str, ...] = ()
    domain: tuple[str, ...] = ("domain",)
    title: tuple[str, ...] = LINKS["titles"]
    created: tuple[str, ...] = LINKS["created"]
    count: tuple[str, ...] = ()
    comment: tuple[str, ...] = ("comments", "comment", "notes")
    tags: tuple[str, ...] = ("tags",)
    limits_in: str = ""
    means: Mapping[str, str] = field(default_factory=dict, hash=False)

    def row(self, link: Mapping[str, Any]) -> tuple[dict[str, str], str]:
        """Convert a link to cells under our column names; also return an error message, or "" if the link is valid."""
        meant = {name: self.means.get(plain_name(name), name) for name in link}
        written = {plain_name(name): name for name in meant.values()}
        link, twice = _by_plain_name(link, meant)
        given = {name: value for name, value in link.items() if _is_set(value, name)}
        terms, rest = read_terms(given, _text, _moment)
        if off_by(link):
            terms["Active"] = "false"
        elif _is_set(is_on := _text(link, ON)):
            terms.setdefault("Active", is_on)  # refused if it is neither yes nor no
        content = _text(link, self.target_in(link))
        known = SWITCHES.union(map(plain_name, self.url))
        unread = {written[name]: value for name, value in rest.items() if name not in known}
        error = twice or protection(unread, content)
        tags, counts = _tags(link, self.tags), self.fields["Scans"]
        cells = {
            "Campaign Name": tags[0] if len(tags) == 1 else "",
            "QR Code Name": _text(link, self.title),
            "Content": content,
            "Trackable URL": (short_url := self._short_url(link)),
            "Created (UTC)": _moment(link, self.created),
            "Scans": _text(link, counts) or _object(link, counts),
            "Comment": _text(link, self.comment),
            "Tags": ", ".join(tags),
            "Pass Query": self._passes_query(link),
            "Dynamic": "" if short_url or not is_static(link) else "false",
            **terms,
        }
        if _SURROGATE.search("".join(cells.values())):
            name = next(name for name, text in cells.items() if _SURROGATE.search(text))
            error = error or f"{name}: holds half a character (a lone surrogate)"
            cells = {name: _SURROGATE.sub("?", text) for name, text in cells.items()}
        return cells, error

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The names of the fields that our columns of free texts, counts and times hold, the first one first."""
        return {
            "Trackable URL": self.url, "QR Code Name": self.title, "Created (UTC)": self.created,
            "Scans": (*self.count, *COUNTS), "Comment": self.comment, "Tags": self.tags,
        }  # fmt: skip

    @property
    def service(self) -> str:
        """The tool without the export format."""
        return self.name.partition(",")[0]

    def target_in(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return which of these plain names holds where short URLs lead; another one is only a field."""
        known = (plain_name(name) for name in self.known_by)
        return tuple(islice((name for name in (*known, *TARGETS) if name in TARGETS and name in names), 1))

    @property
    def read_names(self) -> frozenset[str]:
        """The plain names of all fields that are read, apart from the target; of `a.b`, the object `a`."""
        own = (self.known_by, self.code, self.domain, self.means, *self.fields.values())
        names = (*chain(*own), *TERMS, *PASS_QUERY, *SKIP_QUERY, *ON)
        return frozenset(plain_name(name.partition(".")[0]) for name in names)

    def alternatives(self, names: tuple[str, ...]) -> list[list[str]]:
        """Return the names of each field that has several of these, of which the first with a value is read."""
        found = {plain_name(name): name for name in names}
        plain = (dict.fromkeys(map(plain_name, field)) for field in self.fields.values())
        return [several for field in plain if len(several := [found[name] for name in field if name in found]) > 1]

    def told_apart(self, heading: Iterable[str]) -> list[str]:
        """Return the names of columns, each with an addition if it is there already, so that no cell is lost.

        To a name that is read, primes are added: they are no part of a plain name, so the cells of such columns are
        compared. To any other name, a number is added.
        """
        read, number = self.read_names | SWITCHES | {*TARGETS}, Counter[str]()
        titles: list[str] = []
        taken: set[str] = set()
        for name in heading:
            title = name
            while title and title in taken:
                number[name] += 1
                is_read = plain_name(name) in read or closes(name)
                title = name + (f"{number[name]:b}".translate(PRIMES) if is_read else f" ({number[name] + 1})")
            taken.add(title)
            titles.append(title)
        return titles

    def names_in(self, names: Iterable[str]) -> dict[str, str]:
        """Return our column name -> the name of the field in a file with these names, for use in errors."""
        found = {plain_name(name): name for name in names}
        fields = self.fields | {
            "Content": self.target_in(found),
            "Trackable URL": (*self.url, *self.code),
            "Active": ON,
            "Valid Since (UTC)": SINCE[1:],
            "Valid Until (UTC)": UNTIL[1:],
            "Limit": LIMIT[1:],
            "Limit a Day": LIMIT_A_DAY,
        }
        known: dict[str, str] = {}
        for ours, theirs in fields.items():
            tops = (plain_name(name.partition(".")[0]) for name in theirs)
            if top := next((top for top in tops if top in found), ""):
                known[ours] = found[top]
        return known

    def columns_of_ours(self, names: Iterable[str]) -> dict[str, str]:
        """Return the names that are those of our columns of texts or degrees, and which columns these are.

        Only lists that people keep have such columns. Under the other names, they write what they like: Size, A4.
        """
        unread = (name for name in names if plain_name(name) not in self.read_names and not closes(name))
        ours = {
            columns.COLUMN_OF.get(name.lower()) or _OURS.get(plain_name(name), ""): name
            for name in (reversed([*unread]) if self in (LINK_LIST, CODE_LIST) else ())
        }
        return {name: column for column, name in ours.items() if column in columns.DESCRIBING}

    def _passes_query(self, link: Mapping[str, Any]) -> str:
        is_skipped = _text(link, SKIP_QUERY).lower() in YES
        return "false" if is_skipped else _text(link, PASS_QUERY) or ("true" if self.service in PASSING else "")

    def _short_url(self, link: Mapping[str, Any]) -> str:
        """Return the short URL with %2F for the slashes of its short code; without a host, the short code alone."""
        url = with_scheme(_text(link, self.url))
        code = _text(link, self.code).strip("/")
        if "://" in code:
            _, slash, code = code.partition("://")[2].rpartition("/")
            code = code if slash else ""
        if not self.code:
            code = path_of(url) or ""
        if _SURROGATE.search(url + code):
            return url or code  # which is told
        if not code or (url and not unquote(url.rstrip("/")).endswith(f"/{unquote(code)}")):
            return url
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        host = host or _text(link, self.domain)
        quoted = quote(unquote(code), safe=IN_PATH.replace("/", ""))
        # The service may be installed below a path.
        folder = quote(unquote(path).rstrip("/").removesuffix(unquote(code)), safe=IN_PATH) if path else ""
        return f"{scheme or 'https'}://{host}/{folder}{quoted}" if host else quoted


def _tool(fields: Mapping[str, Any]) -> Tool:
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in fields.items()}
    return Tool(**values)


_TABLES = tomllib.loads(Path(__file__).with_name("foreign_tools.toml").read_text("utf-8"))
TOOLS = {key: _tool(fields) for key, fields in _TABLES.items()}
"""The exports of tools, in the order in which they are looked for."""


@lru_cache(maxsize=1_000)  # the names of a file recur in each of its links
def plain_name(name: str) -> str:
    """Return the letters and digits of a name in lower case: Long URL, long_url and longUrl are one name.

    Names of an end or a limit, such as Klicklimit, become one name in all languages.
    """
    return term_named("".join(filter(str.isalnum, name.lower())))


LINK_LIST = Tool(name="link list", known_by=(), comment=LINKS["comments"], tags=LINKS["tags"], limits_in="the service")
"""What services call the columns of their exports, and people those of their own lists: TinyURL, QR Code generators."""
CODE_LIST = replace(LINK_LIST, url=(), code=CODES)
"""The same for lists with short codes in place of short URLs."""


def protection(link: Mapping[str, Any], content: str = "") -> str:
    """Return the error of a link that is off, or has a password, an end, a limit or rules that are not read, or "".

    Imported without them, such a link would be open to everybody, and for good. The content may be a text about the
    link, while one of the fields says where the link leads.
    """
    for name, value in link.items():
        told = protection(value) if isinstance(value, dict) else ""
        if closes(name) and _is_set(value, plain_name(name)):
            rule = "is set, but the file does not say to what, or qrkit has no such thing; the row was left out"
            told = f"{name!r} {rule}"
        if told:
            return told
    if off := off_by(link):
        return f"{off} says that the link is off, but is not chosen as Active; the row was left out"
    targets = {name: str(value).strip() for name, value in link.items() if plain_name(name) in CLEAR_TARGETS}
    urls = ((name, url) for name, url in targets.items() if content and url[:4].lower() == "http")
    rivals = (name for name, url in urls if url != content and _tidy_url(url) != _tidy_url(content))
    rule = "says where the link leads, and Content says something else; say which column is Content"
    return next((f"{name}={targets[name][:200]!r} {rule}" for name in rivals), "")


def _tidy_url(url: str) -> str:
    """Return a URL in the form in which equal ones are compared: host in lowercase, no slash at the end."""
    return re.sub("^[^/?#]*//[^/?#]*", lambda host: host[0].lower(), url).rstrip("/")


def may_close(name: str) -> bool:
    """Return whether a field of this name may say that a link is off, or has a limit."""
    return plain_name(name) in SWITCHES or closes(name)


@lru_cache(maxsize=1_000)  # as those of `plain_name`
def closes(name: str) -> bool:
    """Return whether a field of this name may close, limit or change a link."""
    return any(part in LIMITS or _WHAT_CLOSES.fullmatch(part) for part in map(plain_name, name.split(".")))


def is_static(link: Mapping[str, Any]) -> bool:
    """Return whether a column of types says that a code is static. The same word in a title or a tag says nothing."""
    is_not_dynamic = any(str(link.get(name)).lower() in NO for name in DYNAMIC)
    types = (str(value).lower() for name, value in link.items() if _OF_TYPES.search(name))
    return is_not_dynamic or any(word in _STATIC for word in types)


def off_by(link: Mapping[str, Any]) -> str:
    """Return the plain name of the field that says that a link is off, and what it says; "" if none does."""
    said = _said(link, SWITCHES)
    return next((f"{name}={word!r}" for name, word in said.items() if word.lower() in OFF_STATES), "")


def unknown_state(link: Mapping[str, Any]) -> str:
    """Return the plain name of a field of states, and its word, if that says neither on nor off; "" if none does."""
    unknown = ((name, word) for name, word in _said(link, STATUS).items() if word.lower() not in KNOWN_STATES)
    return next((f"{name}={word!r}" for name, word in unknown if not HTTP_STATUS.fullmatch(word)), "")


def _said(link: Mapping[str, Any], names: Collection[str]) -> dict[str, str]:
    """Return the texts of fields by the plain names that are among these: of `Paused (by Ana)`, the part before."""
    values = {name: value for title, value in link.items() if (name := plain_name(title)) in names}
    return {name: _text(values, (name,)).partition(" (")[0] for name in values}


def _by_plain_name(link: Mapping[str, Any], meant: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Return the values of a link by plain name; also an error if two fields that mean one have different values."""
    values: dict[str, Any] = {}
    names: dict[str, str] = {}
    error = ""
    for name, value in link.items():
        plain, bare = plain_name(meant[name]), _bare(value)
        if plain not in values or not _says(values[plain], plain):
            values[plain], names[plain] = bare, name
        elif bare != values[plain] and _says(bare, plain):
            first, second = (title.rstrip("\u2032\u2033") for title in (names[plain], name))  # as they are in the file
            error = f"{first!r} and {second!r} have different values; leave one of the two out"
    return values, error


def _says(value: Any, name: str) -> bool:
    """Return whether a field with this plain name says anything; that a link is off does, too."""
    return _is_set(value, name) or (name in SWITCHES and value not in ("", None))


def _is_set(value: Any, name: str = "") -> bool:
    """Return whether a field with this plain name says anything; a password may be any word."""
    if isinstance(value, dict):
        return any(_is_set(one, plain_name(inner)) for inner, one in value.items())
    text = str(value).strip()
    is_nothing = not value or text.lower() in NO or _NOT_SET.fullmatch(text)
    return not is_nothing and (name in PASSWORD or _NO_END.fullmatch(text) is None)


def tool_of(names: Iterable[str]) -> Tool | None:
    """Return the tool whose exports have these column names; None for our own files and for unknown files."""
    found = {plain_name(name) for name in names}
    if OUR_NAME in found:
        return None
    for tool in TOOLS.values():
        wanted = {*map(plain_name, tool.known_by)}
        if found >= wanted and (tool.beside is None or found - wanted <= {*map(plain_name, tool.beside)}):
            return tool
    if short_urls := found.intersection(SHORT_URLS):
        targets = CLEAR_TARGETS if short_urls.issubset(LINKS["unclear_short_urls"]) else TARGETS
        return None if found.isdisjoint(targets) else LINK_LIST
    return None if found.isdisjoint(CODES) or found.isdisjoint(CLEAR_TARGETS) else CODE_LIST


def similar_tool(names: Iterable[str]) -> Tool | None:
    """Return the tool whose name or most known names the columns have: good for a hint, not for reading the file."""
    found = {plain_name(name) for name in names}
    known = {key: {*map(plain_name, one.known_by)} for key, one in TOOLS.items()}
    likely = max(known, key=lambda key: len(known[key] & found) / len(known[key]))
    if len(known[likely]) > len(known[likely] & found) > len(known[likely]) / 2:
        return TOOLS[likely]
    return TOOLS["bitly-csv"] if any("bitlink" in name or "bitly" in name for name in found) else None


def short_urls_in(names: Iterable[str]) -> list[str]:
    """Return the names of the fields of short URLs among these names; if there are none, those of short codes."""
    names = [*names]
    found = ([name for name in names if plain_name(name) in known] for known in (SHORT_URLS, CODES))
    return next(filter(None, found), [])


def short_url_in(names: Iterable[str]) -> str:
    """Return the name of the only field of short URLs among these names; "" if there is none, or more than one."""
    found = [name for name in names if plain_name(name) in SHORT_URLS]
    return found[0] if len(found) == 1 else ""


def _bare(value: Any) -> Any:
    """Return a value that MongoDB or Firestore wraps: {"$numberLong": "5"}, {"$date": …}, {"_seconds": 1714552200}."""
    while isinstance(value, dict) and (key := next((key for key in value if key[:1] == "$" or key in SECONDS), None)):
        value = value[key]
    return value


@lru_cache(maxsize=1_000)  # as those of `plain_name`
def _paths(names: tuple[str, ...]) -> tuple[frozenset[str], list[tuple[str, list[str]]]]:
    paths = [(plain_name(first), others) for first, *others in (name.split(".") for name in names)]
    return frozenset(first for first, _ in paths), paths


def _found(link: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values that a link has under these names; most links have none."""
    firsts, paths = _paths(names)
    for first, others in () if firsts.isdisjoint(link) else paths:
        value = link.get(first)
        for other in others:
            value = value.get(other) if isinstance(value, dict) else None
        if value is not None:
            yield value


def _text(link: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first non-empty text or number with one of these names, as text."""
    for value in _found(link, names):
        if isinstance(value, list):
            value = next(iter(value), None)
        text = value if isinstance(value, str) else value_text(value) if isinstance(value, int | float) else ""
        if (text := text.strip()) not in NOTHING:
            return text
    return ""


def _object(link: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first object with one of these names as a text, which the import then reports as unreadable."""
    return next((str(one) for one in _found(link, names) if one and isinstance(one, dict)), "")


def _moment(link: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the timestamp in table format, "" if it is missing, or as it is if it cannot be read."""
    text = _text(link, names) or _object(link, names)
    if not text or _NO_MOMENT.fullmatch(text):
        return ""
    read = _DATES.read_end if names == UNTIL else _DATES.read
    try:
        return text if IN_TABLE_FORM.fullmatch(text) else to_table(read(text) or from_iso(text))
    except InvalidParameter:
        return text


def _tags(link: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    value: Any = next(filter(None, _found(link, names)), [])
    if isinstance(value, str) and value.startswith("["):  # Short.io writes a list into its csv
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    many = split_tags(value) if isinstance(value, str) else value if isinstance(value, list) else []
    texts = (one.get("name") if isinstance(one, dict) else one for one in many)
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]
