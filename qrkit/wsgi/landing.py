"""The page that a short URL shows when its content is not a web address to follow (ruling T8)."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from qrkit.redirect import Answer

__all__ = ["page"]

INVITATIONS = {
    "tel": "Call",
    "mailto": "Write an e-mail",
    "sms": "Send a message",
    "smsto": "Send a message",
    "geo": "Show on a map",
}
"""What the link says, by scheme."""

STYLE = (
    ":root{color-scheme:light dark;--line:#d9dce1;--quiet:#5c6470}"
    "@media(prefers-color-scheme:dark){:root{--line:#383c43;--quiet:#9aa2ad}}"
    "body{font:17px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.25rem}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;border:1px solid var(--line);"
    "border-radius:12px;padding:1rem 1.25rem;margin:0 0 1rem}"
    "a{display:inline-block;padding:.6rem 1.1rem;border-radius:999px;background:#1455c0;color:#fff;"
    "text-decoration:none}p{color:var(--quiet);font-size:14px}"
)


def page(answer: Answer) -> bytes:
    """An HTML page with the content as text, and a link to tap where the content is safe to open."""
    where = answer.destination
    link = ""
    if where.link:
        scheme = where.link.partition(":")[0].lower()
        link = f'<a href="{escape(where.link)}">{INVITATIONS.get(scheme, "Open")}</a>'
    elif where.download:
        name, media_type = where.download
        data = b64encode(answer.content.encode()).decode()
        link = f'<a download="{name}" href="data:{media_type};base64,{data}">Save {name}</a>'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>This QR Code says</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
        f"<p>This QR Code says</p><pre>{escape(answer.content)}</pre>{link}</body></html>\n"
    ).encode()
