"""Provides `Bench`, which measures versions of a design during a repair, reading its images only once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property, partial
from typing import NamedTuple

from qrkit.design.design import Design
from qrkit.drawing.draw import draw, is_plain
from qrkit.drawing.scene import Pictures
from qrkit.drawing.untrusted.assets import Fetch, read_assets
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.scanning.appearance import Appearance, appearance_of
from qrkit.scanning.budget import Budget, budget_of
from qrkit.scanning.examine import Drawn, examine
from qrkit.scanning.free_pads import fitted
from qrkit.scanning.issues import issues_of
from qrkit.scanning.levers import Lever
from qrkit.scanning.sampling import Sampled, sample
from qrkit.scanning.scan_report import Audience, Issue, Level, ScanReport
from qrkit.scanning.structure import structure_of
from qrkit.symbol.encode import symbol_of
from qrkit.symbol.symbol import Symbol

OF_SYMBOLS = frozenset({"version", "ec", "mask", "pad_codewords"})
"""Fields of a design that choose its symbol, but not how its modules are drawn."""


class Step(NamedTuple):
    """A change that can be applied to any design."""

    lever: Lever
    apply: Callable[[Design], Design]


class State:
    """A design with its symbol, and the error correction that it uses."""

    def __init__(self, design: Design, symbol: Symbol, budget: Budget, sampled: Sampled, audience: Audience) -> None:
        self.design, self.symbol, self.budget = design, symbol, budget
        self._find_issues = partial(_issues, design, symbol, budget, sampled, audience)

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """Other issues, except notes, the worst first; computed on first use, because the budget alone may decide."""
        issues = self._find_issues()
        del self._find_issues  # releases the drawing, which may take megabytes
        return issues

    @property
    def badness(self) -> tuple[int, float]:
        """A sort key: better states have smaller values."""
        return sum(1 if issue.severity == "warning" else 3 for issue in self.issues), self.budget.used


def _issues(design: Design, symbol: Symbol, budget: Budget, sampled: Sampled, audience: Audience) -> tuple[Issue, ...]:
    issues = issues_of(design, budget, structure_of(sampled, symbol, budget.wrong), audience)
    return tuple(one for one in issues if one.severity != "note" and one.code != "error-budget")


class Bench:
    """Measures a design and its changed versions, each of them once, and reads each image once.

    `target` is the share of the worst block's error correction that a design may use.
    """

    def __init__(self, target: float, fetch: Fetch | None, audience: Audience = "phones") -> None:
        self._pictures: Pictures = {}
        self.target, self._fetch = target, fetch
        self._audience = audience
        self._states: dict[Design, State] = {}
        self._fitted: dict[Design, Symbol] = {}
        self._appearances: dict[tuple[object, ...], Appearance] = {}

    def aiming(self, target: float) -> Bench:
        """Return a bench with another target and the same measurements."""
        other = copy(self)
        other.target = target
        return other

    def state(self, design: Design) -> State:
        """Measure a design."""
        if design not in self._states:
            _, symbol, _, scene = self.drawn(design)
            sampled = sample(scene)
            self._states[design] = State(design, symbol, budget_of(sampled, symbol), sampled, self._audience)
        return self._states[design]

    def after(self, design: Design, steps: Iterable[Step]) -> State | None:
        """Return the state after some steps; None if they lead to an invalid design."""
        try:
            for step in steps:
                design = step.apply(design)
            return self.state(design)
        except (InvalidParameter, ContentTooLong):
            return None

    def is_good(self, state: State) -> bool:
        """Return True if a state has no issues and uses no more error correction than allowed."""
        return self.allows(state.budget.used) and not state.issues

    def allows(self, used: float) -> bool:
        """Return True if this share of error correction is within the target."""
        return used <= self.target

    def report(self, design: Design, level: Level) -> ScanReport:
        """Check a design; see `qrkit.check`."""
        return examine(self.drawn(design), level, audience=self._audience)

    def drawn(self, design: Design) -> Drawn:
        """Draw a design, fitting free pad codewords to it."""
        symbol, pictures = symbol_of(design), self._pictures_of(design)
        if design.pad_codewords == "free" and not is_plain(design):
            symbol = self.fitted(design, symbol)
        return Drawn(design, symbol, pictures, draw(design, symbol, pictures, exact=True))

    def fitted(self, design: Design, symbol: Symbol) -> Symbol:
        """Return the symbol with pad codewords that fit the design; see `qrkit.scanning.free_pads.fitted`."""
        if design not in self._fitted:
            self._fitted[design] = fitted(design, symbol, self.appearance(design, symbol))
        return self._fitted[design]

    def appearance(self, design: Design, symbol: Symbol) -> Appearance:
        """Measure how a design draws the modules of any symbol of this version."""
        look = [getattr(design, name) for name in type(design).model_fields if name not in OF_SYMBOLS]
        key = (symbol.version, *look)
        if key not in self._appearances:
            self._appearances[key] = appearance_of(design, self._pictures_of(design), symbol)
        return self._appearances[key]

    def _pictures_of(self, design: Design) -> Pictures:
        unread = {path: content for path, content in design.pictures.items() if content not in self._pictures}
        read = read_assets(unread, self._fetch) if unread else {}
        self._pictures = {**self._pictures, **{content: read[path] for path, content in unread.items()}}
        return {path: self._pictures[content] for path, content in design.pictures.items()}
