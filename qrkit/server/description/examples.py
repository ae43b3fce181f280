"""Contains the examples of the OpenAPI description: values of parameters, bodies of requests, and replies."""

from __future__ import annotations

from typing import Any

__all__ = ["BODIES", "PARAMETERS", "PATHS", "REPLIES"]

ID = "6f1d3c0a9b5e4f7282c1d0e9f8a7b6c5"
CAMPAIGN_ID = "1b2c3d4e5f60718293a4b5c6d7e8f901"
MOMENT = "2026-06-01T08:00:00Z"
SHORT_URL = "https://go.example.com/x7Kq2B"

PATHS = {"id": ID, "code": "x7Kq2B", "urlinfo": "spring-window", "gs1": "01/09506000134352"}
"""Values of variable parts of paths."""
PARAMETERS: dict[str, Any] = {
    "content": "https://example.com/spring",
    "format": "svg",
    "foreground": "#0B3D91",
    "picture_format": "png",
    "file_format": "csv",
    "limit": 100,
}
"""Values of parameters in query strings, by their names in `server.description.openapi.PARAMETERS`."""
BODIES: dict[str, Any] = {
    "design": {
        "content": "https://example.com/spring",
        "format": "svg",
        "foreground": "#0B3D91",
        "modules": {"type": "rounded"},
    },
    "print": {"sizeMm": 60, "dpi": 600},
    "qrcode": {
        "content": "https://example.com/spring",
        "name": "Poster at the door",
        "location": {"address": "Main Street 1, Springfield"},
    },
    "changes": {"content": "https://example.com/summer"},
    "campaign": {"name": "Spring", "description": "Posters in shop windows"},
    "conversion": {"shortCode": "x7Kq2B", "id": "1001", "name": "order", "value": 49.9, "currency": "EUR"},
    "webhook": {"url": "https://shop.example.com/scans", "kinds": ["scan", "limit.reached"]},
}
"""JSON bodies by their names in `server.description.openapi.BODIES`."""
BODIES["checked"] = BODIES["design"]
BODIES["linkset"] = {
    "linkset": [
        {
            "anchor": f"https://id.example.com/{PATHS['gs1']}",
            "description": "Rice, 500 g",
            "https://ref.gs1.org/voc/pip": [{"href": "https://example.com/rice", "title": "Rice, 500 g"}],
        }
    ]
}

_CAMPAIGN = {"id": CAMPAIGN_ID, "created": MOMENT} | BODIES["campaign"]
_LISTED = {
    "id": ID,
    "campaignId": CAMPAIGN_ID,
    "name": "Poster at the door",
    "content": "https://example.com/spring",
    "shortCode": PATHS["code"],
    "shortUrl": SHORT_URL,
    "imageUrl": "https://go.example.com/api/v3/generate?content=https%3A%2F%2Fgo.example.com%2Fx7Kq2B",
    "scans": 128,
    "created": MOMENT,
    "isDynamic": True,
    "isAvailable": True,
    "isScheduleEnabled": False,
}
_MADE = {name: _LISTED[name] for name in ("id", "created")}
_WEBHOOK = BODIES["webhook"] | {
    "id": ID,
    "batch": 1,
    "private": False,
    "created": MOMENT,
    "active": True,
    "failures": 0,
}
_ATTEMPT = {"time": MOMENT, "event": "4711", "events": 1, "status": 200, "milliseconds": 35}
REPLIES: dict[str, Any] = {
    "webhook": _WEBHOOK | {"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
    "webhooks": [_WEBHOOK],
    "attempt": _ATTEMPT,
    "attempts": {"log": [_ATTEMPT], "dead": []},
    "replayed": {"replayed": 3},
    "made": _MADE,
    "added": _MADE | {name: _LISTED[name] for name in ("shortUrl", "imageUrl")},
    "campaign": _CAMPAIGN,
    "qrcode": _LISTED
    | {
        "properties": {
            "size": 8,
            "padding": 4,
            "em": "Byte",
            "ec": "M",
            "foreground": "#FF000000",
            "background": "#FFFFFFFF",
        },
        "location": {"address": "Main Street 1, Springfield"},
        "schedule": [],
    },
    "list": {"campaigns": [_CAMPAIGN], "qrcodes": [_LISTED], "next": ID},
    "issues": [
        {
            "campaign": "Spring",
            "name": "Poster at the door",
            "content": "https://example.com/summer",
            "error": "renamed: the name is in use, so it is now 'Poster at the door (2)'",
        }
    ],
    "decoded": {"content": "hello world", "version": 1, "ec": "M", "dimension": 21, "capacity": 14, "length": 11},
    "live": {"status": "ok"},
    "linkset": BODIES["linkset"],
    "set": {"id": ID, "shortUrl": f"https://id.example.com/{PATHS['gs1']}"},
}
"""JSON replies by their names in `server.description.openapi.REPLIES`."""
