"""Recognizes contents that apps read from the code itself and never from a page, though no kind here holds all of them.

Most of them hold secrets, payment details or data about health and journeys, so lists and file names do not show them.
"""

from __future__ import annotations

import re

from qrkit.contents.syntax import IN_FRONT, PAYMENTS_OF_APPS

APP_CODES = {
    "payment": re.compile(
        rf"(?:BCD\s+0[0-9]{{2}}|SPC\s+0[0-9]{{3}})\s|000201[0-9]{{4}}.*6304[0-9A-F]{{4}}\s*\Z|{PAYMENTS_OF_APPS}",
        re.I | re.DOTALL,
    ),
    "one-time password": re.compile("(?:(?:apple-)?otpauth(?:-migration)?|motp|phonefactor):", re.I),
    "mobile plan (eSIM)": re.compile(r"(?:LPA:)?1\$[A-Z0-9-]+(?:\.[A-Z0-9-]+)+\$", re.I),
    "passkey sign-in": re.compile("FIDO:/[0-9]", re.I),
    "smart home device": re.compile(
        r"MT:[0-9A-Z.-]{19}|X-HM://[0-9A-Z]{9}|Z:[0-9A-F]{16}\$I:|90[0-9]{50,}\s*\Z|"
        r'\{"ver":"v[0-9]","name":"[^"]*",(?:"[^"]*":"[^"]*",)*"pop":'
    ),
    "Wi-Fi device": re.compile("DPP:(?:.*;)?K:[A-Za-z0-9+/=]+;"),
    "phone setup": re.compile(r'\{\s*"android\.app\.extra\.PROVISIONING_'),
    "VPN access": re.compile(
        r"\[Interface\]\s(?:.*\s)?PrivateKey\s*=|(?:ssr?|vmess|vless|trojan|hysteria2?|hy2|tuic)://\S", re.DOTALL
    ),
    "health certificate": re.compile(r"(?:HC1|NL[0-9]):[0-9A-Z $%*+./:-]{50}|shc:/[0-9/]{8}"),
    "boarding pass": re.compile(
        r"M[1-9][A-Z0-9/. -]{20}[E ][A-Z0-9 ]{7}[A-Z]{6}[A-Z0-9 ]{3}[0-9 ]{4}[A-Z0-9 ][0-9]{3}"
    ),
    "receipt": re.compile(
        r"V0;[^;]+;(?:Kassenbeleg|Bestellung|SonstigerVorgang)|_R[0-9]-[A-Z]{2}[0-9]+_|A:[0-9]{9}\*B:[^*]+\*C:[A-Z]{2}\*D:"
    ),
    "wallet request": re.compile(
        r"(?:(?:eudi-)?openid4v(?:p|ci)|openid-credential-offer|siopv2|haip(?:-v[cp]i?)?|mdoc|didcomm):\S|"
        "wc:[0-9a-f-]{8,}@[0-9]"
    ),
}
"""Matches transfers and bills of other versions, payments of other countries, one-time passwords of a single app, what
sets up devices, and what is shown to an inspector, by what it is."""


def app_code_title(text: str) -> str:
    """Return what a text is, as in "boarding pass"; "" if it is none of these."""
    start = text.lstrip(IN_FRONT)
    return next((title for title, pattern in APP_CODES.items() if pattern.match(start)), "")
