"""Recognizes contents that apps read from the code itself, never from a page, and that qrkit cannot read completely.

Most of them hold secrets, payment details or data about health and journeys, so lists and file names do not show them.
"""

from __future__ import annotations

import re
from functools import cache

from qrkit.contents.syntax import IN_FRONT, PAYMENTS_OF_APPS

SAUDI_NUMBER = "(?:Ag8zM|[AQgw]IPMz|CDzM)"
"""The tax number in a receipt of Saudi Arabia: in base64, 15 digits that begin with 3, behind the bytes 2 and 15."""
SLOVENIAN_TIME = "[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]"
"""When a receipt of Slovenia was issued, `YYMMDDHHMMSS`: without it, any 60 digits would be a receipt."""

APP_CODES = {
    "payment": (
        rf"(?i:(?:BCD\s+0[0-9]{{2}}|SPC\s+0[0-9]{{3}})\s|000201[0-9]{{4}}.*6304[0-9A-F]{{4}}\s*\Z|{PAYMENTS_OF_APPS})"
    ),
    "one-time password": "(?i:(?:(?:apple-)?otpauth(?:-migration)?|motp|phonefactor):)",
    "mobile plan (eSIM)": r"(?i:LPA:1\$|1\$[A-Z0-9-]+(?:\.[A-Z0-9-]+)+\$)",
    "passkey sign-in": "(?i:FIDO:/[0-9])",
    "smart home device": (
        r"MT:[0-9A-Z.-]{19}|X-HM://[0-9A-Z]{9}|Z:[0-9A-F]{16}\$I:|90[0-9]{50,}\s*\Z|"
        r'\{"ver":"v[0-9]","name":"[^"]*",(?:"[^"]*":"[^"]*",)*"pop":'
    ),
    "Wi-Fi device": "DPP:(?:.*;)?K:[A-Za-z0-9+/=]+;",
    "phone setup": r'\{\s*"android\.app\.extra\.PROVISIONING_',
    "VPN access": (
        r"(?>#[^\n]*+\s+)*+\[Interface\]\s(?:.*\s)?PrivateKey\s*=|"
        r"(?:ssr?|vmess|vless|trojan|hysteria2?|hy2|tuic)://\S"
    ),
    "health certificate": r"(?:HC1|NL[0-9]):[0-9A-Z $%*+./:-]{50}|shc:/[0-9/]{8}",
    "boarding pass": "M[1-9][A-Z0-9/. -]{20}[E ][A-Z0-9 ]{7}[A-Z]{6}[A-Z0-9 ]{3}[0-9 ]{4}[A-Z0-9 ][0-9]{3}",
    "receipt": (
        r"V0;[^;]+;(?:Kassenbeleg|Bestellung|SonstigerVorgang)|_R[0-9]-[A-Z]{2}[0-9]+_|"
        r"A:[0-9]{9}\*B:[^*]+\*C:[A-Z]{2}\*D:|t=[0-9]{8}T[0-9]{4,6}&s=[0-9.]+&fn=[0-9]+&|O-[0-9A-F]{32}\s*\Z|"
        rf"[0-3][0-9]{{46}}{SLOVENIAN_TIME}[0-9]\s*\Z|"
        r"[0-9]{44}\|[0-9]{14}\|[0-9.]+\||[0-9]{11}\|[0-9]{2}\|[A-Z0-9]{4}\|[0-9]+\|[0-9.]+\||"
        r"01,[0-9]{2},[0-9]{10,12},[0-9]{8},[0-9.]+,20[0-9]{6},|[A-Z]{2}[0-9]{19}[0-9A-Fa-f]{16}[0-9]{16}[\w+/]{22}==|"
        r'\*\*(?::[^:]+:[0-9.]+:[0-9.]+){2}(?::|\s*\Z)|\{\s*"vkntckn"|eyJ[\w-]+\.eyJkYXRhIjoie1wiU2VsbGVyR3N0aW|'
        rf"A[Q-Za-f](?=[\w+/]{{60,}}={{0,2}}\s*\Z)[\w+/]*{SAUDI_NUMBER}"
    ),
    "wallet request": (
        r"(?:(?:eudi-)?openid4v(?:p|ci)|openid-credential-offer|siopv2|haip(?:-v[cp]i?)?|mdoc|didcomm):\S|"
        "wc:[0-9a-f-]{8,}@[0-9]"
    ),
}
"""How such contents begin, by what they are: payments of other versions and countries, one-time passwords of a single
app, codes that set up devices, and codes that are shown to an inspector."""

_TITLES = list(APP_CODES)


# Lists ask this of each content: one expression is four times as fast as one for each of them. It is compiled when it
# is needed, because that takes 3 ms, and links do without it.
@cache
def _any() -> re.Pattern[str]:
    return re.compile("|".join(f"({pattern})" for pattern in APP_CODES.values()), re.DOTALL)


def app_code_title(text: str) -> str:
    """Return what a text is, such as "boarding pass"; "" if it is none of these."""
    match = _any().match(text.lstrip(IN_FRONT))
    return _TITLES[match.lastindex - 1] if match and match.lastindex else ""
