"""Simulates a month of people who scan: a seeded stream of requests to short URLs, realistic enough for a demo.

None of the data is measured. Addresses are in the range reserved for documentation (RFC 3849), and `place_of` locates
them as a GeoIP database would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from qrkit.tracking.records import NOWHERE, Place, QRCode

FIRST_DAY = datetime(2026, 6, 1, tzinfo=UTC)
DAYS = 30
SCANS_A_CODE = 110
MOST_SCANS = 3_000
RETURNING = 0.14
TWICE = 0.03
"""Share of readers that request the URL a second time at once."""
AGAIN = 0.11
"""Share of people who scan the same code again within the hour."""


@dataclass(frozen=True, slots=True)
class Habit:
    """When people of a campaign scan: weights of the hours of the day (UTC), and of the weekdays from Monday.

    Interest in a new code halves in `half_life` days. `peak` is the day of the month, from 0, with the most visitors,
    if there is one; `abroad` is the share of visitors from other countries.
    """

    hours: tuple[float, ...]
    week: tuple[float, ...]
    half_life: float
    peak: int | None = None
    abroad: float = 0.12


def _bell(*centers: tuple[float, float]) -> tuple[float, ...]:
    """Return the weights of 24 hours, with a peak at each (hour, weight)."""
    return tuple(
        0.02 + sum(weight * math.exp(-(((hour - center) / 1.8) ** 2)) for center, weight in centers)
        for hour in range(24)
    )


HABITS = (
    Habit(_bell((6.5, 1.0), (15.5, 0.9), (19, 0.3)), (1, 1, 1.05, 1.1, 1.2, 0.8, 0.6), 16, abroad=0.28),
    Habit(_bell((10.5, 1.0), (13.5, 0.9)), (0.2, 0.9, 0.9, 1, 1.1, 1.7, 1.9), 400),
    Habit(_bell((8, 1.0), (10, 0.8), (17, 0.35)), (1.1, 1.3, 1.2, 1.1, 0.8, 0.15, 0.15), 60, abroad=0.03),
    Habit(_bell((17, 0.8), (20.5, 1.2)), (0.6, 0.6, 0.7, 0.9, 1.4, 1.8, 0.9), 30, peak=12, abroad=0.18),
)

HOME = Place("DE", "Coast", "Lindhaven", 54.32, 10.14)
ABROAD = (
    Place("DK", "Capital", "Copenhagen", 55.68, 12.57),
    Place("SE", "Skåne", "Malmö", 55.6, 13.0),
    Place("NL", "North Holland", "Amsterdam", 52.37, 4.9),
    Place("GB", "England", "Leeds", 53.8, -1.55),
    Place("PL", "Pomerania", "Gdańsk", 54.35, 18.65),
    Place("US", "Maine", "Portland", 43.66, -70.26),
)
PLACES = (HOME, *ABROAD)
LANGUAGES = ("de-DE,de;q=0.9", "da", "sv-SE", "nl-NL,nl;q=0.9", "en-GB,en;q=0.9", "pl-PL", "en-US,en;q=0.9")

_APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko)"
PHONES = (
    (f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) {_APPLE} Version/18.4 Mobile/15E148 Safari/604.1", 24),
    (f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) {_APPLE} Version/17.7 Mobile/15E148 Safari/604.1", 12),
    (f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) {_APPLE} CriOS/136.0 Mobile/15E148 Safari/604.1", 4),
    (f"Mozilla/5.0 (Linux; Android 15; SM-S921B) {_CHROME} Chrome/137.0.0.0 Mobile Safari/537.36", 15),
    (f"Mozilla/5.0 (Linux; Android 14; SM-A546B) {_CHROME} Chrome/136.0.0.0 Mobile Safari/537.36", 12),
    (f"Mozilla/5.0 (Linux; Android 15; Pixel 8) {_CHROME} Chrome/137.0.0.0 Mobile Safari/537.36", 8),
    (f"Mozilla/5.0 (Linux; Android 14; SM-S911B) {_CHROME} SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36", 7),
    ("Mozilla/5.0 (Android 14; Mobile; rv:139.0) Gecko/139.0 Firefox/139.0", 4),
    (f"Mozilla/5.0 (Linux; Android 13; Redmi Note 12) {_CHROME} Chrome/135.0.0.0 Mobile Safari/537.36", 6),
    (f"Mozilla/5.0 (iPad; CPU OS 18_4 like Mac OS X) {_APPLE} Version/18.4 Mobile/15E148 Safari/604.1", 4),
    (f"Mozilla/5.0 (Linux; Android 14; SM-X710) {_CHROME} Chrome/136.0.0.0 Safari/537.36", 2),
    (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Chrome/137.0.0.0 Safari/537.36", 2),
)
MACHINES = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "WhatsApp/2.25.16 A",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "TelegramBot (like TwitterBot)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request to a short URL: its time, its path and its visitor."""

    time: datetime
    short_code: str
    address: str
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "GET"


def arrivals(codes: Sequence[QRCode], *, seed: int = 1) -> list[Arrival]:
    """Return simulated requests of June 2026 to the short URLs of these codes, oldest first; deterministic per seed.

    Static codes get no requests, because scans of them do not pass through qrkit.
    """
    codes = [code for code in codes if code.is_dynamic]
    random = Random(seed)
    scale = min(1.0, MOST_SCANS / (SCANS_A_CODE * max(len(codes), 1)))
    campaigns = list(dict.fromkeys(code.campaign_id for code in codes))
    requests: list[Arrival] = []
    for code in codes:
        habit = HABITS[campaigns.index(code.campaign_id) % len(HABITS)]
        # A few locations are busy and most are not.
        mean = scale * SCANS_A_CODE * random.lognormvariate(-0.25, 0.7)
        for moment in _moments(random, habit, mean):
            requests += _person(random, code.short_code, habit, moment)
        requests += _machines(random, code.short_code, mean)
    return sorted(requests, key=lambda arrival: (arrival.time, arrival.short_code))


def place_of(address: str) -> Place:
    """Return the place of a simulated address."""
    parts = address.split(":")
    known = parts[:2] == ["2001", "db8"] and len(parts) > 2 and parts[2].isdecimal()
    return PLACES[(int(parts[2]) - 1) % len(PLACES)] if known else NOWHERE


def _moments(random: Random, habit: Habit, mean: float) -> Iterator[datetime]:
    """Yield the times at which people scan one code: about `mean` times in the month."""
    days = []
    for day in range(DAYS):
        weight = habit.week[day % 7] * 0.5 ** (day / habit.half_life)
        if habit.peak is not None:
            weight *= 0.3 + 2.4 * math.exp(-(((day - habit.peak) / 0.6) ** 2)) if day <= habit.peak + 1 else 0.04
        days.append(weight)
    number = max(0, round(random.gauss(mean, math.sqrt(mean))))
    for day in random.choices(range(DAYS), days, k=number):
        hour = random.choices(range(24), habit.hours)[0]
        yield FIRST_DAY + timedelta(days=day, hours=hour, seconds=random.uniform(0, 3599))


def _person(random: Random, code: str, habit: Habit, moment: datetime) -> Iterator[Arrival]:
    place = 0 if random.random() > habit.abroad else random.randint(1, len(ABROAD))
    agents, weights = zip(*PHONES, strict=True)
    headers = {"User-Agent": random.choices(agents, weights)[0], "Accept-Language": LANGUAGES[place]}
    # Visitors with low numbers come back, like people who pass the poster every day.
    number = random.randint(1, 40) if random.random() < RETURNING else random.randint(1_000, 9_999)
    address = f"2001:db8:{place + 1}::{number}"  # not 0, which an address leaves out
    yield Arrival(moment, code, address, headers)
    if random.random() < TWICE:
        yield Arrival(moment + timedelta(milliseconds=400), code, address, headers)
    if random.random() < AGAIN:
        yield Arrival(moment + timedelta(seconds=random.uniform(60, 3_600)), code, address, headers)


def _machines(random: Random, code: str, mean: float) -> Iterator[Arrival]:
    """Yield the requests that follow when people share a link: previews, crawlers, a prefetch, a mistyped code."""
    for _ in range(round(mean * 0.12)):
        moment = FIRST_DAY + timedelta(seconds=random.uniform(0, DAYS * 86_400))
        chance = random.random()
        address = f"2001:db8:ffff::{random.randint(1, 99)}"
        if chance < 0.7:
            yield Arrival(moment, code, address, {"User-Agent": random.choice(MACHINES)})
        elif chance < 0.85:
            yield Arrival(moment, code, address, {"User-Agent": PHONES[0][0], "Sec-Purpose": "prefetch"})
        elif chance < 0.95:
            yield Arrival(moment, code, address, {"User-Agent": PHONES[3][0]}, method="HEAD")
        else:
            yield Arrival(moment, code[:-1] + "0", address, {"User-Agent": PHONES[0][0]})
