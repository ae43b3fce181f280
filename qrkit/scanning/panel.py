"""A picture and what it shall say -> who reads it in which condition, and what follows from that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
"""By level."""

CHARSETS = ("utf-8", "shift_jis", "iso-8859-1")
"""In which symbols spell a text: those of qrkit, in Kanji mode, and by the standard's default."""

ENOUGH = 3
"""Families that read what is robust."""

QUIET_ZONE = 4
"""Modules around the plain symbol that a picture is compared with."""


@dataclass(frozen=True, slots=True)
class Panel(Shown):
    """What engines read in captures of a picture.

    Attributes:
        level: quick, standard or full.
        seed: Of what is random in the captures.
        engines: Version of each engine, by its name.
        outcomes: By condition and engine: read, in the capture or once more; wrong where any other text was found; or
            nothing.
        ramps: By ramp, strength and engine, likewise; empty below the level full.
        seconds: That it took.
        limit: By capture of `LIMIT` and engine, likewise; empty at level quick, and where the symbol is not known.
        plain_limit: The same for the plain symbol, black on white.
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
        """Of each engine, the part of all conditions in which it reads, 0..1."""
        rows = self.outcomes.values()
        return {name: fmean(row[name] == "read" for row in rows) for name in self.engines}

    @property
    def rate(self) -> float:
        """The mean of the rates, 0..1."""
        return fmean(self.rates.values())

    @property
    def breaking(self) -> dict[str, dict[str, float | None]]:
        """By ramp and engine, the hardest strength before the first at which it fails; None where it fails at once."""
        return {ramp: {name: _last_read(steps, name) for name in self.engines} for ramp, steps in self.ramps.items()}

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """Conditions, and steps of ramps, in which an engine found any other text, and the engine."""
        rows = [*self.outcomes.items(), *self.limit.items()]
        rows += [(f"{ramp} {strength:g}", row) for ramp, steps in self.ramps.items() for strength, row in steps.items()]
        return [(where, name) for where, row in rows for name in row if row[name] == "wrong"]

    @property
    def verdict(self) -> Verdict:
        """What the engines say, those of one family with one voice.

        robust: three families read in every condition of `CORE`; the standard engines are three, so that it means the
        same wherever a design is checked. ok: two do. fragile: one of them reads the picture itself. unreadable: none
        does, or any engine found another text, anywhere.
        """
        if self.wrong or not self._readers("clean"):
            return "unreadable"
        enough = min(ENOUGH, len({family_of(name) for name in self.engines}))
        missing = max(enough - self._readers(condition) for condition in self._core())
        return "robust" if missing <= 0 else "ok" if missing == 1 else "fragile"

    @property
    def score(self) -> int:
        """0..100: how much of what the plain symbol gets read the picture gets read, too; 0 for any other text.

        Counted over the looks of all judges: those of `CORE`, in which a plain symbol is always read, and as many of
        `LIMIT` as the plain symbol was read in. At level quick, and where the symbol is not known, over `CORE` alone.
        """
        core = [is_read for condition in self._core() for is_read in self._judged(self.outcomes[condition])]
        read, plain = (sum(sum(self._judged(row)) for row in rows.values()) for rows in (self.limit, self.plain_limit))
        return 0 if self.wrong else round(100 * (sum(core) + min(read, plain)) / (len(core) + plain))

    def __repr__(self) -> str:
        return f"<Panel {self.verdict}, score {self.score}, {len(self.engines)} engines, {self.level}>"

    def _readers(self, condition: str) -> int:
        """How many families read in a condition."""
        return len({family_of(name) for name, outcome in self.outcomes[condition].items() if outcome == "read"})

    def _core(self) -> list[str]:
        return [condition.name for condition in CORE if condition.name in self.outcomes]

    def _judged(self, row: Mapping[str, Outcome]) -> list[bool]:
        """Whether each judge reads in a condition; all engines are judges where the standard ones are not there."""
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
    """Have engines read a picture in many conditions.

    Args:
        greys: The picture as rows of luma, uint8 0..255 or floats 0..1, at most 1,600 pixels a side.
        px: Pixels a module in it, 1..400.
        content: What it shall say; bytes where the symbol spells it in a charset of its own.
        level: quick (7 conditions), standard (19) or full (28, and ramps to the breaking point).
        engines: Who reads; the standard ones where nothing is said, and at level full all that are installed.
        seed: Of what is random in the captures, 0 or more.
        symbol: What the picture shows, where it is known: its plain drawing sets the measure of the score.

    Raises:
        InvalidParameter: There is no such level, no engine, or the picture is none.
    """
    if level not in CONDITIONS:
        raise InvalidParameter(Problem("level", level, nearest(str(level), CONDITIONS)))
    if engines is None:
        engines = installed() if level == "full" else standard()
    if not engines:
        raise InvalidParameter(Problem("engines", list(engines), "names at least one engine"))
    start, sheet, payloads = monotonic(), Sheet(greys, px), _payloads(content)

    def seen(conditions: Iterable[Condition], sheet: Sheet = sheet) -> dict[str, dict[str, Outcome]]:
        return {
            condition.name: {engine.name: _outcome(engine, picture, payloads) for engine in engines}
            for condition, picture in captured(sheet, conditions, seed)
        }

    outcomes = seen(CONDITIONS[level])
    climbed = RAMPS if level == "full" else ()
    ramps = {ramp.name: dict(zip(ramp.strengths, seen(ramp.conditions).values(), strict=True)) for ramp in climbed}
    limits = (seen(LIMIT), seen(LIMIT, _plain(symbol))) if symbol and level != "quick" else ({}, {})
    versions = {engine.name: engine.version for engine in engines}
    return Panel(level, seed, versions, outcomes, ramps, monotonic() - start, *limits)


def _plain(symbol: Symbol) -> Sheet:
    """A symbol black on white, in its quiet zone."""
    import numpy as np

    modules = np.frombuffer(b"".join(symbol.modules), dtype=np.uint8).reshape(symbol.side, symbol.side)
    pixels = MOST_SIDE // (symbol.side + 2 * QUIET_ZONE)
    greys = np.pad((1 - modules) * np.uint8(255), QUIET_ZONE, constant_values=255)
    return Sheet(greys.repeat(pixels, axis=0).repeat(pixels, axis=1), pixels)


def _payloads(content: str | bytes) -> set[bytes]:
    """All the ways in which symbols spell a content."""
    if isinstance(content, bytes):
        return {content}
    found = set()
    for charset in CHARSETS:
        try:
            found.add(content.encode(charset))
        except UnicodeEncodeError:
            continue
    return found


def _outcome(engine: Engine, picture: Pixels, payloads: set[bytes]) -> Outcome:
    found = engine.read(picture) or engine.read(retaken(picture))
    if not found:
        return "nothing"
    return "read" if payloads.issuperset(found) else "wrong"


def _last_read(steps: Mapping[float, Mapping[str, Outcome]], name: str) -> float | None:
    read = list(takewhile(lambda strength: steps[strength][name] == "read", steps))
    return read[-1] if read else None
