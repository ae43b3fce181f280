"""Tests which engines read an image in which conditions, and derives a verdict and a score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import takewhile
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.late import Shown
from qrkit.scanning.conditions import CORE, HARDER, LIMIT, MOST_SIDE, QUICK, RAMPS, Sheet, captured, retaken
from qrkit.scanning.readers import STANDARD, Engine, family_of, installed, standard

if TYPE_CHECKING:
    import numpy as np

    from qrkit.scanning.conditions import Condition, Pixels
    from qrkit.scanning.scan_report import Verdict
    from qrkit.symbol.symbol import Symbol

__all__ = ["Outcome", "Panel", "run_panel"]

Outcome: TypeAlias = Literal["read", "wrong", "nothing"]

CONDITIONS: Mapping[str, tuple[Condition, ...]] = {"quick": QUICK, "standard": CORE, "full": CORE + HARDER}
"""Conditions of each level."""

CHARSETS = ("utf-8", "shift_jis", "iso-8859-1")
"""Charsets in which symbols encode text: qrkit's, that of Kanji mode, and the standard's default."""

ENOUGH = 3
"""Number of families that must read a robust image."""

QUIET_ZONE = 4
"""Modules around the plain symbol with which an image is compared."""


@dataclass(frozen=True, slots=True)
class Panel(Shown):
    """What engines read in captures of an image.

    Attributes:
        level: quick, standard or full.
        seed: Seed of the noise in the captures.
        engines: Maps the name of each engine to its version.
        outcomes: By condition and engine: `read`, on the first or second capture; `wrong`, if another text was found;
            or `nothing`.
        ramps: Outcomes by ramp, strength and engine; empty below level full.
        seconds: Duration of the test.
        limit: Outcomes by capture of `LIMIT` and engine; empty at level quick and for unknown symbols.
        plain_limit: Outcomes for the plain black-on-white symbol, as in `limit`.
    """

    level: str
    seed: int
    engines: Mapping[str, str]
    outcomes: Mapping[str, Mapping[str, Outcome]]
    ramps: Mapping[str, Mapping[float, Mapping[str, Outcome]]]
    seconds: float = field(compare=False)
    limit: Mapping[str, Mapping[str, Outcome]] = field(default_factory=dict)
    plain_limit: Mapping[str, Mapping[str, Outcome]] = field(default_factory=dict)

    @property
    def rates(self) -> dict[str, float]:
        """Share of all conditions in which each engine reads, 0..1."""
        rows = self.outcomes.values()
        return {name: fmean(row[name] == "read" for row in rows) for name in self.engines}

    @property
    def rate(self) -> float:
        """Mean of the rates, 0..1."""
        return fmean(self.rates.values())

    @property
    def breaking(self) -> dict[str, dict[str, float | None]]:
        """By ramp and engine, the last strength before the first failure; None if the engine fails at the first."""
        return {ramp: {name: _last_read(steps, name) for name in self.engines} for ramp, steps in self.ramps.items()}

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """Pairs of condition (or step of a ramp) and engine that found another text."""
        rows = [*self.outcomes.items(), *self.limit.items()]
        rows += [(f"{ramp} {strength:g}", row) for ramp, steps in self.ramps.items() for strength, row in steps.items()]
        return [(where, name) for where, row in rows for name in row if row[name] == "wrong"]

    @property
    def verdict(self) -> Verdict:
        """The verdict of the engines, counting each engine family once.

        robust: three families read in every condition of `CORE`. ok: two families do. fragile: one family reads the
        image itself. unreadable: no engine does, or any engine found another text in any condition. There are three
        standard engines, so the verdict means the same on every machine.
        """
        if self.wrong or not self._readers("clean"):
            return "unreadable"
        enough = min(ENOUGH, len({family_of(name) for name in self.engines}))
        missing = max(enough - self._readers(condition) for condition in self._core())
        return "robust" if missing <= 0 else "ok" if missing == 1 else "fragile"

    @property
    def score(self) -> int:
        """How often the image is read, compared with the plain symbol, 0..100; 0 if any engine found another text.

        The score counts the readings of the standard engines. Its maximum is all captures of `CORE` plus, from
        `LIMIT`, the number in which the standard engines read the plain symbol. At level quick, and for unknown
        symbols, the score counts only `CORE`.
        """
        core = [is_read for condition in self._core() for is_read in self._readings(self.outcomes[condition])]
        read, plain = (
            sum(sum(self._readings(row)) for row in rows.values()) for rows in (self.limit, self.plain_limit)
        )
        return 0 if self.wrong else round(100 * (sum(core) + min(read, plain)) / (len(core) + plain))

    def __repr__(self) -> str:
        return f"<Panel {self.verdict}, score {self.score}, {len(self.engines)} engines, {self.level}>"

    def _readers(self, condition: str) -> int:
        """Count the families that read in a condition."""
        return len({family_of(name) for name, outcome in self.outcomes[condition].items() if outcome == "read"})

    def _core(self) -> list[str]:
        return [condition.name for condition in CORE if condition.name in self.outcomes]

    def _readings(self, row: Mapping[str, Outcome]) -> list[bool]:
        """Return whether each standard engine reads in a condition; all engines, if there is no standard one."""
        judges = [name for name in STANDARD if name in row] or list(row)
        return [row[name] == "read" for name in judges]

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "level": self.level,
            "seed": self.seed,
            "verdict": self.verdict,
            "score": self.score,
            "rate": round(self.rate, 3),
            "rates": {name: round(rate, 3) for name, rate in self.rates.items()},
            "engines": dict(self.engines),
            "outcomes": {condition: dict(row) for condition, row in self.outcomes.items()},
            "ramps": {
                ramp: {f"{strength:g}": dict(row) for strength, row in steps.items()}
                for ramp, steps in self.ramps.items()
            },
            "breaking": self.breaking,
            "limit": {condition: dict(row) for condition, row in self.limit.items()},
            "plainLimit": {condition: dict(row) for condition, row in self.plain_limit.items()},
            "seconds": round(self.seconds, 3),
        }


def run_panel(
    greys: np.ndarray[Any, Any],
    px: float,
    content: str | bytes,
    *,
    level: str = "standard",
    engines: Sequence[Engine] | None = None,
    seed: int = 0,
    symbol: Symbol | None = None,
) -> Panel:
    """Test engines with captures of an image in many conditions.

    Args:
        greys: The image as rows of luma, uint8 0..255 or floats 0..1, at most 1,600 pixels per side.
        px: Pixels per module in the image, 1..400.
        content: The expected content; bytes if the symbol uses a charset of its own.
        level: quick (7 conditions), standard (19) or full (28, and ramps to the breaking point).
        engines: The readers to use; by default the standard engines or, at level full, all that are installed.
        seed: Seed of the noise in the captures, 0 or more.
        symbol: The symbol in the image, if known; the score compares the image with its plain drawing.

    Raises:
        InvalidParameter: If the level is not known, there is no engine, or the image is invalid.
    """
    if level not in CONDITIONS:
        raise InvalidParameter(Problem("level", level, nearest(str(level), CONDITIONS)))
    if engines is None:
        engines = installed() if level == "full" else standard()
    if not engines:
        raise InvalidParameter(Problem("engines", list(engines), "names at least one engine"))
    start, payloads, engines = monotonic(), _payloads(content), tuple(engines)
    seen = partial(_seen, Sheet(greys, px), payloads=payloads, engines=engines, seed=seed)
    outcomes = seen(CONDITIONS[level])
    climbed = RAMPS if level == "full" else ()
    ramps = {ramp.name: dict(zip(ramp.strengths, seen(ramp.conditions).values(), strict=True)) for ramp in climbed}
    limits = (seen(LIMIT), _plain_limit(symbol, payloads, engines, seed)) if symbol and level != "quick" else ({}, {})
    versions = {engine.name: engine.version for engine in engines}
    return Panel(level, seed, versions, outcomes, ramps, monotonic() - start, *limits)


def _seen(
    sheet: Sheet, conditions: Iterable[Condition], *, payloads: frozenset[bytes], engines: tuple[Engine, ...], seed: int
) -> dict[str, dict[str, Outcome]]:
    """Return what engines read in captures of a sheet, by condition and engine."""
    return {
        condition.name: _outcomes(engines, picture, payloads)
        for condition, picture in captured(sheet, conditions, seed)
    }


# A repair compares many designs with the same plain symbol, and so does a user who changes a design between checks.
@lru_cache(maxsize=8)
def _plain_limit(
    symbol: Symbol, payloads: frozenset[bytes], engines: tuple[Engine, ...], seed: int
) -> dict[str, dict[str, Outcome]]:
    """Return what engines read in captures of a plain symbol at the limit; see `Panel.plain_limit`."""
    return _seen(_plain(symbol), LIMIT, payloads=payloads, engines=engines, seed=seed)


def _plain(symbol: Symbol) -> Sheet:
    """Draw a symbol black on white, with its quiet zone."""
    import numpy as np

    modules = np.frombuffer(b"".join(symbol.modules), dtype=np.uint8).reshape(symbol.side, symbol.side)
    pixels = MOST_SIDE // (symbol.side + 2 * QUIET_ZONE)
    greys = np.pad((1 - modules) * np.uint8(255), QUIET_ZONE, constant_values=255)
    return Sheet(greys.repeat(pixels, axis=0).repeat(pixels, axis=1), pixels)


def _payloads(content: str | bytes) -> frozenset[bytes]:
    """Return a content in all charsets in which symbols encode it."""
    if isinstance(content, bytes):
        return frozenset((content,))
    payloads = set()
    for charset in CHARSETS:
        try:
            payloads.add(content.encode(charset))
        except UnicodeEncodeError:
            continue
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
        outcomes[engine.name] = "nothing" if not found else "read" if payloads.issuperset(found) else "wrong"
    return outcomes


def _last_read(steps: Mapping[float, Mapping[str, Outcome]], name: str) -> float | None:
    read = list(takewhile(lambda strength: steps[strength][name] == "read", steps))
    return read[-1] if read else None
