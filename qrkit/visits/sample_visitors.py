"""Sample visitors, to whom a redirect can be explained."""

from __future__ import annotations

from qrkit.errors import one_of
from qrkit.visits.redirect import Request

_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5"
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0"
SAMPLES = {
    "ios": f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) {_SAFARI} Mobile/15E148 Safari/604.1",
    "tablet": f"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) {_SAFARI} Mobile/15E148 Safari/604.1",
    "android": f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {_CHROME} Mobile Safari/537.36",
    "windows": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36 Edg/125.0.0.0",
    "macos": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) {_SAFARI} Safari/605.1.15",
    "linux": "Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0",
    "chromeos": f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {_CHROME} Safari/537.36",
}
"""A usual user agent of each device."""


def sample_request(
    *,
    device: str = "",
    user_agent: str = "",
    language: str = "",
    referrer: str = "",
    address: str = "",
    query: str = "",
) -> Request:
    """Return what the browser of a visitor sends, for any short code.

    A device, one of `SAMPLES`, sends its usual user agent unless there is another. A referrer may be the host alone.
    """
    usual = SAMPLES[one_of("device", device, SAMPLES, "is not known")] if device else ""
    headers = {"user-agent": user_agent or usual, "accept-language": language}
    if referrer:
        headers["referer"] = referrer if "//" in referrer else f"https://{referrer}"
    return Request("GET", "", headers, address, query)
