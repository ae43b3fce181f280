"""Tell bots from people by the user agent. `tests/tracking/bots.md` shows how often this is right on public lists.

1. A user agent that names a system, a device and a common browser, and nothing else, is a person's.
2. A browser names its engine and its system. What does not is a program: a command-line tool, or an app that opens a
   link itself instead of handing it to a browser (Dalvik, CFNetwork).
3. A browser has no web address in its user agent. A program that drives a browser often says who runs it.
4. Monitors, scanners and previews that only add their name to a browser's user agent are listed by name.
5. is-crawler decides about the rest. Phones and apps that scan codes are hidden from it where they are named like bots,
   and devices that do not call themselves Mozilla are passed to it as if they did.
"""

from __future__ import annotations

import re
from functools import lru_cache

_COMMON = re.compile(
    r"""mozilla/5\.0\ \((?: linux;\ android\ [\d.]+;\ [\w\ .+-]+(?:\ build/[\w.-]+)?(?:;\ wv)?
        | iphone;\ cpu\ iphone\ os\ [\d_]+\ like\ mac\ os\ x | macintosh;\ intel\ mac\ os\ x\ [\d_.]+
        | windows\ nt\ 10\.0;\ win64;\ x64 )\)
    \ applewebkit/[\d.]+\ \(khtml,\ like\ gecko\)
    (?:\ (?:version|chrome|crios|mobile|safari|edga?|opr|samsungbrowser)(?:/[\w.]+)?)+""",
    re.VERBOSE,
)
_DEVICE = r"""
    ^(?:blackberry|nokia|sonyericsson)\w+[/([\ ]
    | ^(?:lge?|samsung|sec|mot|sie|zte|kddi|htc|huawei|alcatel)[-_]\w[\w-]*[/([\ ]
    | ^docomo/\d | midp-?\d | cldc-?\d | \bup\.(?:browser|link)/ | wap[-_\ ]?browser | maui | obigo | teleca | dorado
    | ucweb | \bdv\(ip | ^ip(?:hone|ad|od)\w+$ | hbbtv | ^smarttv_ | ^opr/ | browser\b | goggalaxy | palmscape | polaris
    | viera | ^(?:lynx|elinks|dillo|amaya|bunjalloo|xiino)/ | mosaic | amiga | beos | haiku | risc\ os | syllable
"""
"""Old phones, UC Browser, television sets and old computers, whose browsers do not call themselves Mozilla."""
_ENGINE = r"mozilla/ | opera | webkit | gecko | presto | trident | netfront | links\ | w3m/"
_SYSTEM = r"""
    windows | macintosh | linux | x11 | android | iphone | ipad | ipod | win[n9] | mac | mobile | phone | tablet
    | harmony | bsd\b | sunos | symb | series\d | blackberry | bb10 | playbook | tizen | webo?0?s | palm
    | nintendo | ps\d | playstation | xbox | msie | konqueror | \bd?tv\b | \bwatch | kaios | bada | meego | brew
    | rex | j2me | os/2 | crkey | jig | willcom | astro | opera/
"""
_BROWSER = re.compile(
    rf"""(?! mozilla/5\.0\ \((?:x11|windows\ nt\ 10)[^)]*\)\ applewebkit.*safari/[\d.]+\ [^/]*$
        | [\w/.\ ]*[,|]\ ?mozilla/ )
    (?: mozilla/5\.0\ \((?:linux|windows|macintosh|iphone|ipad|x11)
        | (?=.*?(?:{_ENGINE}|{_DEVICE})) (?=.*?(?:{_SYSTEM}|{_DEVICE})) )""",
    re.VERBOSE,
)
"""Browsers on computers add names with versions only, and begin with their own name."""
_PROGRAM = re.compile(
    r"""https?://(?!\S*uaprof) | www\.\w | \.(?:com|net|org|io|ai|co|party)(?![.\w-]|/\d)(?<!\W\.net)(?<!\d\.ai)
    | \(at\) | ;\ at; | gecko[;,](?!\ ?(?:safari|hevc|opera)) | agent\b(?<!user[-\ ]agent)(?<!_agent) | check(?:er)?\b
    | proxy(?:[/)](?<!wap\ proxy/)|$) | java/\d | rss\b | rigor\b | -user/\d""",
    re.VERBOSE,
)
_NAMES = """
    monitor, synthetic, uptime, uptimia, inspector, vulnerab, _scanner, measurement, splash version, securityheaders,
    google-, -google, google_partner, googleother, googleweblight, googleimageproxy, googlemessages,
    googletagmanager, googleagent, google page, google search console, googlead, externalhit, whatsapp,
    python, powershell, curl, okhttp, libwww-perl, simplepie, feed parser, feed finder, feed wrangler,
    feedb, feedf, feeder, nutch, transcoder, datanyze, daum, onetrust, devtools, marketgoo, phantomjs,
    javafx, cypress/, ptst, speedcurve, gomez, catchpoint, dareboost, gtmetrix, statuscake, site24x7,
    checkly, newrelic, datadog, ruxit, thousandeyes, dmbrowser, iplabel, cloudflare, functionize, silktide,
    neustar, dejaclick, acunetix, openvas, sucuri, watchtowr, burpcollab, assetnote, hardenize, foregenix,
    whatcms
"""
_LIKE_BOTS = re.compile(
    r"""cubot | \b(?:qr|barcode|cam)[\w\ -]{0,8}scan
    | ^mozilla/[\d.]+\ ?\(compatible;(?=.*(?:amiga|beos|haiku|risc\ os|syllable|viera|polaris))
    | \bandroid\ [\d.]+;\ (?:[a-z]{2}-[a-z]{2};\ ?)?(?![^;)]*(?:[a-z]{3}bot\b|crawl))[^;)/]+
        (?=(?:\ build/[^;)]*)?[;)])""",
    re.VERBOSE,
)
_OLD = re.compile(_DEVICE, re.VERBOSE)
_PROGRAMS = [name.strip() for name in _NAMES.split(",")]


@lru_cache(maxsize=4_096)
def is_bot(user_agent: str) -> bool:
    """Return whether a user agent is a bot."""
    from is_crawler import is_crawler

    text = user_agent.lower()
    if _COMMON.fullmatch(text):
        return False
    if not _BROWSER.match(text) or _PROGRAM.search(text) or any(name in text for name in _PROGRAMS):
        return True
    if not is_crawler(text):
        return False
    text = _LIKE_BOTS.sub("", text)
    if _OLD.search(text):
        text = f"mozilla/5.0 {text}"
    return bool(is_crawler(text))
