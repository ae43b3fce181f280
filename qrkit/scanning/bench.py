"""`Bench`: where designs are looked at while they are repaired, their pictures read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from qrkit.drawing.draw import Pictures, draw
from qrkit.drawing.untrusted.assets import Fetch, read_assets
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.scanning.appearance import Appearance, appearance_of
from qrkit.scanning.budget import Budget, budget_of
from qrkit.scanning.free_pads import symbol_of
from qrkit.scanning.issues import issues_of
from qrkit.scanning.levers import Lever
from qrkit.scanning.sampling import sample
from qrkit.scanning.scan_report import Issue
from qrkit.scanning.structure import structure_of
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["Bench", "State", "Step"]


class Step(NamedTuple):
    """A change that can be done to any design."""

    lever: Lever
    apply: Callable[[Design], Design]


class State(NamedTuple):
    """A design, and what is in its way.

    Attributes:
        design: It.
        symbol: Its modules.
        budget: What it uses of its error correction.
        issues: What else is in the way of readers: warnings and worse, the worst first.
    """

    design: Design
    symbol: Symbol
    budget: Budget
    issues: tuple[Issue, ...]

    @property
    def badness(self) -> tuple[int, float]:
        """Of two states the one with less is the better one."""
        return sum(1 if issue.severity == "warning" else 3 for issue in self.issues), self.budget.used


class Bench:
    """Looks at one design and what becomes of it.

    Args:
        design: It; whatever becomes of it shows no other pictures.
        target: Share of the worst block's error correction that it may use.
        fetch: What reads pictures by their URL.
    """

    def __init__(self, design: Design, target: float, fetch: Fetch | None) -> None:
        paths = design.pictures
        pictures = read_assets(paths, fetch) if paths else {}
        self._pictures = {content: pictures[path] for path, content in paths.items()}
        self._target = target

    def state(self, design: Design) -> State:
        """What is in the way of a design.

        Raises:
            InvalidParameter: It leaves less than a pixel for a module.
            ContentTooLong: The content does not fit.
        """
        pictures = self._of(design)
        symbol = symbol_of(design, pictures)
        sampled = sample(draw(design, symbol, pictures, exact=True))
        budget = budget_of(sampled, symbol)
        issues = issues_of(design, budget, structure_of(sampled, symbol, budget.wrong))
        barring = [one for one in issues if one.severity != "note" and one.code != "error-budget"]
        return State(design, symbol, budget, tuple(barring))

    def after(self, design: Design, steps: Iterable[Step]) -> State | None:
        """The state after some steps; None where they lead to no design."""
        try:
            for step in steps:
                design = step.apply(design)
            return self.state(design)
        except (InvalidParameter, ContentTooLong):
            return None

    def is_good(self, state: State) -> bool:
        """Whether nothing is in the way."""
        return not state.issues and self.allows(state.budget.used)

    def allows(self, used: float) -> bool:
        """Whether no more error correction is used than may be."""
        return used <= self._target

    def appearance(self, state: State) -> Appearance:
        """How the design of a state draws modules."""
        return appearance_of(state.design, self._of(state.design), state.symbol)

    def _of(self, design: Design) -> Pictures:
        return {path: self._pictures[content] for path, content in design.pictures.items()}
