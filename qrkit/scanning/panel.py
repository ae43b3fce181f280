"""Tests which engines read an image in which conditions, and derives a verdict and a score."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, takewhile
from statistics import fmean
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeAlias

from qrkit.design.characters import ECI
from qrkit.errors import InvalidParameter, Problem, one_of
from qrkit.late import Shown, np
from qrkit.scanning.budget import true_modules
from qrkit.scanning.conditions import (
    CORE,
    HARDER,
    MOST_SIDE,
    PHONES,
    PHONES_QUICK,
    QUICK,
    RAMPS,
    Condition,
    Pixels,
    Sheet,
    captured,
    frames_of,
    retaken,
)
from qrkit.scanning.measures import json_fields
from qrkit.scanning.readers import CONTOUR, OF_PHONES, STANDARD, Engine, family_of, installed, of_phones, standard
from qrkit.scanning.scan_report import Audience, Verdict, worse
from qrkit.symbol.symbol import Symbol

Outcome: TypeAlias = Literal["read", "wrong", "nothing"]

LEVELS = ("quick", "standard", "full")
"""Levels at which readers are used."""

FRAMES = 3
"""Frames that a phone takes in each condition of `PHONES`."""

ENOUGH_FRAMES = 0.9
"""Share of the frames that each reader of phones must read of a robust image."""

ENOUGH_CONDITIONS = 0.75
"""Share of the conditions in which a reader must read an image that is ok."""

FAMILIES = 3
"""Number of families that must read an image that is robust for embedded readers."""

QUIET_ZONE = 4
"""Modules around the plain symbol with which an image is compared."""

CLOSE = 4
"""Modules of page that phones see around an image."""

MOST_PLAIN = 12
"""Pixels per module of the plain symbol, like those of an image that is examined."""


@dataclass(frozen=True, slots=True)
class Panel(Shown):
    """What engines read in captures of an image.

    Attributes:
        audience: phones or all.
        level: quick, standard or full.
        seed: Seed of the noise and of the angles of the captures.
        engines: Maps the name of each engine to its version.
        outcomes: By condition and engine: `read`, if the engine read one of the frames; `wrong`, if it found another
            text; or `nothing`.
        frames: Number of frames that an engine read, by condition of `PHONES` and engine.
        fair: Number of frames that count, as in `frames`: those in which the engine reads the plain symbol.
        ramps: Outcomes by ramp, strength and engine; empty below level full.
        seconds: Duration of the test.
    """

    audience: Audience
    level: str
    seed: int
    engines: Mapping[str, str]
    outcomes: Mapping[str, Mapping[str, Outcome]]
    frames: Mapping[str, Mapping[str, int]]
    fair: Mapping[str, Mapping[str, int]]
    ramps: Mapping[str, Mapping[float, Mapping[str, Outcome]]]
    seconds: float = field(compare=False)

    @property
    def rates(self) -> dict[str, float]:
        """Share of the tested conditions in which each engine reads the image, 0..1."""
        rows = self.outcomes.values()
        return {name: fmean(row[name] == "read" for row in rows if name in row) for name in self.engines}

    @property
    def rate(self) -> float:
        """Mean of the rates, 0..1."""
        return fmean(self.rates.values())

    @property
    def shares(self) -> dict[str, float]:
        """Share of the frames that each reader of phones reads, of those in which it reads the plain symbol, 0..1."""
        read, fair = (
            {name: sum(row[name] for row in rows.values()) for name in self._judges}
            for rows in (self.frames, self.fair)
        )
        return {name: read[name] / fair[name] if fair[name] else 0.0 for name in self._judges}

    @property
    def breaking(self) -> dict[str, dict[str, float | None]]:
        """By ramp and engine, the last strength before the first failure; None if the engine fails at the first."""
        return {ramp: {name: _last_read(steps, name) for name in self.engines} for ramp, steps in self.ramps.items()}

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """Pairs of condition (or step of a ramp) and engine that found another text."""
        rows = [*self.outcomes.items()]
        rows += [(f"{ramp} {strength:g}", row) for ramp, steps in self.ramps.items() for strength, row in steps.items()]
        return [(where, name) for where, row in rows for name in row if row[name] == "wrong"]

    @property
    def missed(self) -> list[str]:
        """The conditions in which a reader of phones reads no frame, though it reads the plain symbol there."""
        return [condition for condition in self.frames if any(self._misses(condition, name) for name in self._judges)]

    @property
    def core_count(self) -> int:
        """Number of conditions in which embedded readers are tested."""
        return len(self._core)

    @property
    def missed_by_embedded(self) -> list[str]:
        """The conditions of `CORE` in which a standard engine reads nothing."""
        return [condition for condition in self._core if not all(self._readings(condition))]

    @property
    def phones(self) -> Verdict:
        """The verdict of the readers of phones.

        robust: both read a frame in every condition, and 90% of all frames. ok: one of them reads in every condition,
        and each in three of four. fragile: any engine reads anything. unreadable: no engine does, or one found another
        text. Frames in which a reader does not read the plain symbol do not count.
        """
        judges, conditions = self._judges, self.frames
        missed = [sum(self._misses(condition, name) for condition in conditions) for name in judges]
        if self.wrong or not any("read" in row.values() for row in self.outcomes.values()):
            return "unreadable"
        if not any(missed) and min(self.shares.values()) >= ENOUGH_FRAMES:
            return "robust"
        is_seen = all(not all(self._misses(condition, name) for name in judges) for condition in conditions)
        most = (1 - ENOUGH_CONDITIONS) * len(conditions)
        return "ok" if is_seen and max(missed) <= most else "fragile"

    @property
    def embedded(self) -> Verdict | None:
        """The verdict of all families of readers, among them one that looks for contours; None for audience phones.

        robust: three families read in every condition of `CORE`. ok: two families do, and a contour reader reads in
        three of four. fragile: one family reads the image itself. unreadable: none does, or an engine found another
        text.
        """
        if self.audience == "phones":
            return None
        if self.wrong or not self._families("clean"):
            return "unreadable"
        enough = min(FAMILIES, len({family_of(name) for name in self.engines}))
        missing = max(enough - self._families(condition) for condition in self._core)
        core = [self.outcomes[condition] for condition in self._core]
        contours = [fmean(row[name] == "read" for row in core) for name in self.engines if name in CONTOUR]
        is_found = max(contours, default=1.0) >= ENOUGH_CONDITIONS
        return "robust" if missing <= 0 else "ok" if missing == 1 and is_found else "fragile"

    @property
    def verdict(self) -> Verdict:
        """The verdict for the audience: for `all`, the worse of both."""
        return worse(self.phones, self.embedded)

    @property
    def score(self) -> int:
        """How often readers read the image, compared with the plain symbol, 0..100; 0 if one found another text.

        For phones, the mean of `shares`. For `all`, at most the share of `CORE` that the standard engines read.
        """
        if self.wrong:
            return 0
        core = [is_read for condition in self._core for is_read in self._readings(condition)]
        return round(100 * min(fmean(self.shares.values()), fmean(core) if core else 1.0))

    def __repr__(self) -> str:
        return f"<Panel {self.verdict}, score {self.score}, {len(self.engines)} engines, {self.level}>"

    @property
    def _judges(self) -> list[str]:
        return _those(OF_PHONES, self.engines)

    @property
    def _core(self) -> list[str]:
        return [] if self.audience == "phones" else [one.name for one in CORE if one.name in self.outcomes]

    def _misses(self, condition: str, name: str) -> bool:
        return self.fair[condition][name] > 0 and self.outcomes[condition][name] != "read"

    def _families(self, condition: str) -> int:
        """Count the families that read in a condition."""
        return len({family_of(name) for name, outcome in self.outcomes[condition].items() if outcome == "read"})

    def _readings(self, condition: str) -> list[bool]:
        """Return whether each standard engine reads in a condition."""
        return [self.outcomes[condition][name] == "read" for name in _those(STANDARD, self.engines)]

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        answers = {name: getattr(self, name) for name in ("verdict", "phones", "embedded", "score", "breaking")}
        rates, shares = ({name: round(one, 3) for name, one in some.items()} for some in (self.rates, self.shares))
        ramps = {ramp: {f"{strength:g}": row for strength, row in steps.items()} for ramp, steps in self.ramps.items()}
        numbers = {"rate": round(self.rate, 3), "rates": rates, "shares": shares}
        return json_fields(self) | answers | numbers | {"ramps": ramps}


def run_panel(
    greys: np.ndarray[Any, Any],
    px: float,
    content: str | bytes | frozenset[bytes],
    *,
    level: str = "standard",
    audience: Audience = "phones",
    engines: Sequence[Engine] | None = None,
    seed: int = 0,
    symbol: Symbol | None = None,
) -> Panel:
    """Test engines with captures of an image in many conditions, of which `level` says how many.

    For phones, quick tests one frame in 6 conditions, standard three frames in 12, and full also 9 harder conditions,
    and ramps to the breaking point. For all, quick adds 7 conditions, and standard 19.

    Args:
        greys: Rows of luma, uint8 0..255 or floats 0..1, at most 1,600 pixels per side.
        px: Pixels per module in the image, 1..400.
        content: Bytes if the symbol uses a charset of its own; a set of bytes if readers differ in what they return.
        engines: By default those of the audience or, at level full, all that are installed.
        seed: Seed of the noise and of the angles of the captures, 0 or more.
        symbol: The symbol in the image, if known. Frames in which a reader misses the plain symbol do not count.
    """
    one_of("level", level, LEVELS)
    is_chosen = engines is not None
    if engines is None:
        engines = installed() if level == "full" else standard() if audience == "all" else of_phones()
    if not engines:
        raise InvalidParameter(Problem("engines", list(engines), "must name at least one engine"))
    start, is_quick = monotonic(), level == "quick"
    run = _Run(tuple(engines), _payloads(content), seed, symbol, is_quick, is_chosen or level == "full")
    sheet, close = Sheet(greys, px), Sheet(greys, px, CLOSE)
    rows = {one.name: run.frames(close, one) for one in (PHONES_QUICK if is_quick else PHONES)}
    outcomes: dict[str, Mapping[str, Outcome]] = {name: row.outcomes for name, row in rows.items()}
    core = () if audience == "phones" else QUICK if is_quick else CORE
    outcomes |= run.captures(sheet, core + (HARDER if level == "full" else ()))
    climbed = RAMPS if level == "full" else ()
    ramps = {
        ramp.name: dict(zip(ramp.strengths, run.captures(sheet, ramp.conditions).values(), strict=True))
        for ramp in climbed
    }
    versions = {engine.name: engine.version for engine in engines}
    frames, fair = ({name: getattr(row, part) for name, row in rows.items()} for part in ("frames", "fair"))
    return Panel(audience, level, seed, versions, outcomes, frames, fair, ramps, monotonic() - start)


class _Row(NamedTuple):
    """What engines read in the frames of one condition of `PHONES`; see `Panel`."""

    outcomes: dict[str, Outcome]
    frames: dict[str, int]
    fair: dict[str, int]


class _Run(NamedTuple):
    """What stays the same in all conditions of a panel."""

    engines: tuple[Engine, ...]
    payloads: frozenset[bytes]
    seed: int
    symbol: Symbol | None
    is_quick: bool
    is_everyone_asked: bool

    def captures(self, sheet: Sheet, conditions: Iterable[Condition]) -> dict[str, dict[str, Outcome]]:
        """Return what engines read in captures of a sheet, by condition and engine."""
        return {
            condition.name: _outcomes(self.engines, picture, self.payloads)
            for condition, picture in captured(sheet, conditions, self.seed)
        }

    def frames(self, sheet: Sheet, condition: Condition) -> _Row:
        """Return what engines read in the frames of a condition. Only readers of phones are asked in every frame."""
        judges = _those(OF_PHONES, [engine.name for engine in self.engines])
        asked = [one for one in self.engines if self.is_everyone_asked or one.name in judges]
        counted, most = ([], 1) if self.is_quick else (judges, FRAMES)
        found: dict[str, list[Outcome]] = {engine.name: [] for engine in asked}
        for picture in islice(frames_of(sheet, condition, self.seed), FRAMES):
            for engine in asked:
                if engine.name in counted or "read" not in found[engine.name]:
                    found[engine.name].append(_outcome(engine.read(picture), self.payloads))
            if not counted and all("read" in outcomes for outcomes in found.values()):
                break
        read = {name: min(most, found[name].count("read")) for name in judges}
        fair = {
            engine.name: most if read[engine.name] == most else max(read[engine.name], self._plain(engine, condition))
            for engine in asked
            if engine.name in judges
        }
        return _Row({name: _best(outcomes) for name, outcomes in found.items()}, read, fair)

    def _plain(self, engine: Engine, condition: Condition) -> int:
        """Return the number of frames that an engine reads of the plain symbol, of those that count."""
        if self.symbol is None:
            read = FRAMES
        else:
            read = _plain_frames(self.symbol, self.payloads, engine, condition, self.seed)
        return min(read, 1) if self.is_quick else read


# Cached, because a repair, or a user who edits and checks a design, tests the same plain symbol many times.
@lru_cache(maxsize=512)
def _plain_frames(symbol: Symbol, payloads: frozenset[bytes], engine: Engine, condition: Condition, seed: int) -> int:
    """Return the number of frames of a condition in which an engine reads the plain symbol, black on white."""
    pictures = islice(frames_of(_plain(symbol), condition, seed), FRAMES)
    return sum(_outcome(engine.read(picture), payloads) == "read" for picture in pictures)


@lru_cache(maxsize=8)
def _plain(symbol: Symbol) -> Sheet:
    """Draw a symbol black on white, with its quiet zone."""
    pixels = min(MOST_PLAIN, MOST_SIDE // (symbol.side + 2 * QUIET_ZONE))
    greys = np.pad(~true_modules(symbol) * np.uint8(255), QUIET_ZONE, constant_values=255)
    return Sheet(greys.repeat(pixels, axis=0).repeat(pixels, axis=1), pixels, CLOSE)


def _payloads(content: str | bytes | frozenset[bytes]) -> frozenset[bytes]:
    """Return a content in all charsets in which symbols encode it."""
    if not isinstance(content, str):
        return frozenset((content,)) if isinstance(content, bytes) else content
    payloads = set()
    # All charsets but UTF-16 and UTF-32 encode ASCII alike; loading all codecs takes 2% of the time of `qrkit check`.
    for charset in ("utf-8", "utf-16be", "utf-16le", "utf-32be", "utf-32le") if content.isascii() else ECI:
        with suppress(UnicodeEncodeError):
            payloads.add(content.encode(charset))
    return frozenset(payloads)


def _outcomes(engines: Iterable[Engine], picture: Pixels, payloads: frozenset[bytes]) -> dict[str, Outcome]:
    """Return what each engine reads in a capture, or in the second one, which is taken if an engine needs it."""
    outcomes: dict[str, Outcome] = {}
    second = None
    for engine in engines:
        found = engine.read(picture)
        if not found:
            second = retaken(picture) if second is None else second
            found = engine.read(second)
        outcomes[engine.name] = _outcome(found, payloads)
    return outcomes


def _outcome(found: Collection[bytes], payloads: frozenset[bytes]) -> Outcome:
    return "nothing" if not found else "read" if payloads.issuperset(found) else "wrong"


def _best(outcomes: Collection[Outcome]) -> Outcome:
    """Return the outcome of several frames: a phone looks until it reads something."""
    return "wrong" if "wrong" in outcomes else "read" if "read" in outcomes else "nothing"


def _those(names: Iterable[str], present: Iterable[str]) -> list[str]:
    """Return those of the names that are present; if none of them is, return all present ones."""
    return [name for name in names if name in present] or [*present]


def _last_read(steps: Mapping[float, Mapping[str, Outcome]], name: str) -> float | None:
    read = list(takewhile(lambda strength: steps[strength][name] == "read", steps))
    return read[-1] if read else None
