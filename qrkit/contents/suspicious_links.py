"""Recognizes texts that were meant as web addresses, but do not lead there: `www.example.com`, `<https://example.com>`.

A short URL shows such a text on a page instead of following it. Only texts that are an address as a whole are
suspicious; sentences, names, file names, phone numbers and other contents are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from html import unescape
from pathlib import Path
from unicodedata import category, name

from qrkit.contents.addresses import INVISIBLE, location_of
from qrkit.contents.app_codes import app_code_title
from qrkit.contents.single_lines import clean

LONGEST = 4_096
"""Longer texts are not judged: people do not type such addresses."""
LIKENESS = 0.75
"""How much a scheme must be like http or https to be one of them with a typing mistake: `htp`, `ttps`, `htttp`."""

TOP_LEVELS = frozenset(Path(__file__).with_name("top_levels.txt").read_text("ascii").split())
"""Top-level domains, of countries and others, that texts without `https://` are recognized by."""
FILE_SUFFIXES = frozenset(
    {"ai", "app", "cc", "in", "md", "me", "mo", "pl", "pm", "ps", "py", "rs", "sh", "so", "st", "to", "tv", "ws"}
)
"""Top-level domains that are also suffixes of files, or words: alone, `README.md` is not an address."""

_NAME = "[a-z0-9][a-z0-9-]{0,62}"
_SOUND = re.compile(rf"https?://(?:{_NAME}\.)*{_NAME}(?::[0-9]{{1,4}})?(?:[/?#][!#-\[\]_a-z{{|}}~]*)?", re.I | re.A)
# Typed after a scheme: `:/`, `//`, `;//`, `:\\`, `: //`, `//:`, or only a colon. `*+` never backtracks.
_SCHEME = re.compile(r"([a-z]{3,6})(\s*+[:;.,]?\s*+[/\\]{1,3}\s*+[:;]?\s*+|\s*+[:;]\s*+)(.*)", re.I | re.A)
_COPIED = re.compile(
    r"(?=.*(?:&amp;|[,;]$))(?P<url>https?://[^\s,;]++(?>[,;]+[^\s,;]++)*+(?>(?<=&amp);)?+)(?P<end>[,;]*)", re.I
)
"""Matches an address as it stands in the source of a page, or in a list with a comma or semicolon behind it."""
_LABEL = r"[^\W_](?:[\w-]{0,62}[^\W_])?"
_DOMAIN = re.compile(rf"(?P<host>(?:{_LABEL}\.)+(?P<top>[a-z]{{2,20}}))(?::[0-9]{{1,5}})?(?P<rest>[/?#]\S*)?", re.I)
_HOST = re.compile(rf"(?:{_LABEL}\.)+[^\W\d_]{{2,20}}(?![\w@])|(?:[0-9]{{1,3}}\.){{3}}[0-9]{{1,3}}(?![\w.])")
_QUOTES = "\"'`\xb4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a«»\u300c\u300d\uff02"
"""Quotes that Word, mail programs and web pages put around addresses."""
_MARKED = re.compile(
    r"\[[^]]*\]\((?P<note>\S+)\)|<a\s[^<>]{0,500}?href=(?P<quote>[\"'])(?P<page>[^\"'\s]+)(?P=quote).*</a>", re.I | re.S
)
"""A link as notes and pages have it: [our page](https://example.com), <a href="https://example.com">our page</a>."""
_BUNDLE = re.compile(r"(com|org|net|io|de)\.", re.I)
"""How the names of apps begin, such as `com.example.app`."""


@dataclass(frozen=True, slots=True)
class SuspiciousLink:
    """A text that was probably meant as a web address, with its fault, such as `has no https:// in front`.

    `location` is where a short URL leads with it; "" if it shows the text. `url` is the address that was meant, if
    there is only one sensible reading, else "".
    """

    fault: str
    location: str = ""
    url: str = ""

    def __str__(self) -> str:
        seen = f"are sent to {self.location}" if self.location else "see it as text, not as a page"
        return f"{self.fault}, so visitors {seen}" + (f"; did you mean {self.url}?" if self.url else "")


def suspicious_link(text: str) -> SuspiciousLink | None:
    """Return what is suspicious about a text that was meant as a web address; None for sound links and other texts.

    Never raises, and the time is proportional to the length of the text.
    """
    link = text.strip(" \t\r\n")
    if len(link) > LONGEST:
        return None
    if copied := _COPIED.fullmatch(link):
        fault = f"ends with {copied['end']!r}" if copied["end"] else "has an ampersand as in HTML (&amp;)"
        # A semicolon at the end may belong to a query.
        url = "" if ";" in copied["end"] else _followed(copied["url"].replace("&amp;", "&"))
        return SuspiciousLink(fault, location_of(link) or "", url)
    if _SOUND.fullmatch(link):
        return None
    if wrapped := _wrapped(link):
        return wrapped
    scheme, mark, rest = link.partition("://")
    if mark and scheme.lower() in ("http", "https"):
        return _with_scheme(link, scheme.lower(), rest)
    match = _SCHEME.fullmatch(link)
    near = get_close_matches(match[1].lower(), ("https", "http"), n=1, cutoff=LIKENESS) if match else []
    if match is None or not near:
        return _without_scheme(link)
    if not _HOST.match(match[3]):
        return None
    fault = f"begins with '{(match[1] + match[2]).strip()}' instead of {near[0]}://"
    return SuspiciousLink(fault, url=_followed(f"{near[0]}://{match[3]}"))


def meant_url(content: str) -> str:
    """Return the address that was meant with a text that only looks like one, if there is one sensible reading."""
    suspicion = suspicious_link(content)
    return suspicion.url if suspicion else ""


def link_warning(content: str) -> str:
    """Return what to warn of when this is the content of a tracked QR Code; "" if there is nothing suspicious."""
    suspicion = suspicious_link(content)
    return f"{content!r} {suspicion}" if suspicion else ""


def _wrapped(link: str) -> SuspiciousLink | None:
    """Judge a text with something around it or unseen in it: the rest is an address, or was meant as one."""
    seen = link if link.isascii() else clean(link, is_url=True).strip("\u2028\u2029 ")
    gone = next((one for one in link if one not in seen and category(one) in ("Cf", "Zs", "Zl", "Zp", "Pd")), "")
    inner = seen if gone else link
    while inner[:1] and inner[0] in f"{_QUOTES}<([":
        inner = inner[1:-1] if inner[-1] in f"{_QUOTES}>)]" else inner[1:]
    if written := _MARKED.fullmatch(link):
        inner = written["note"] or unescape(written["page"])
    # A quote at the end alone may belong to one within the address, as a bracket may.
    if inner in (seen, link) and not set(inner[:-1]) & set(_QUOTES):
        inner = inner.rstrip(_QUOTES)
    inner = re.sub("^URL:", "", inner, flags=re.IGNORECASE) if inner != link else inner
    url = "" if inner == link else inner if _is_followed(inner) else meant_url(inner)
    if not url:
        return None
    what = f"U+{ord(gone):04X} ({name(gone, 'unnamed').lower()}) in it" if gone else "quotes or brackets around it"
    return SuspiciousLink(f"has {what}", location_of(link) or "", url)


def _is_followed(url: str) -> bool:
    return url.lower().startswith(("http://", "https://")) and " " not in url and location_of(url) is not None


def _with_scheme(link: str, scheme: str, rest: str) -> SuspiciousLink | None:
    """Judge a text that begins with http:// or https://; `rest` is what follows."""
    again = re.match("(https?):/{1,2}", rest, re.IGNORECASE)
    if again and _HOST.match(rest[again.end() :]):
        inner = _followed(f"{again[1].lower()}://{rest[again.end() :]}")
        return SuspiciousLink("begins with http twice", location_of(link) or "", inner)
    location = location_of(link)
    if location is None:
        has_space = rest[:1] in (" ", "/") and _HOST.match(rest.lstrip(" /"))
        fixed = _followed(f"{scheme}://{rest.lstrip(' /')}") if has_space else ""
        return SuspiciousLink("is not an address that browsers follow", url=fixed)
    if " " in link:
        return SuspiciousLink("has a space in it", location)
    return None


def _without_scheme(link: str) -> SuspiciousLink | None:
    """Judge a text without a scheme: it is an address if all of it looks like one."""
    bare = link.removeprefix("//")
    match = _DOMAIN.fullmatch(bare)
    if match is None or INVISIBLE.search(bare) or app_code_title(bare):
        return None
    host, top = match["host"], match["top"]
    has_name = any(letter.isalpha() for letter in host.removesuffix(top))  # unlike 10.am
    is_domain = has_name and top.lower() in TOP_LEVELS and (top.islower() or host.isupper())
    if match["rest"] is None:
        is_domain = is_domain and top.lower() not in FILE_SUFFIXES and not _BUNDLE.match(host)
    if not is_domain and not host.lower().startswith("www."):
        return None
    return SuspiciousLink("has no https:// in front", url=_followed(f"https://{bare}"))


def _followed(url: str) -> str:
    """Return an address that browsers follow as it stands; "" for any other."""
    return url if " " not in url and location_of(url) and suspicious_link(url) is None else ""
