"""Provides `make_scannable`, which finds the smallest changes that make a design scan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from qrkit.drawing.resizing import relaid
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import CannotRepair, InvalidParameter, Problem, nearest
from qrkit.late import Shown
from qrkit.model import plain
from qrkit.scanning.bench import Bench, State, Step
from qrkit.scanning.examine import drawn, examine
from qrkit.scanning.issues import MOST_USED
from qrkit.scanning.levers import LEVERS, Lever
from qrkit.scanning.scan_report import Audience, Level, ScanReport
from qrkit.scanning.search import found_steps, needed_steps

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["Change", "Repair", "make_scannable"]


SHARES = (1.0, 0.6, 0.3)
"""Shares of the target to try: lower ones if readers still fail at the target."""

MASKS = range(8)
"""Data masks (ISO/IEC 18004:2015, 7.8.2). Another mask can remove a pattern that misleads a reader by chance."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a design.

    Attributes:
        lever: The kind of change.
        fields: Fields for `design.replace(**fields)`, to be applied after the previous changes.
        message: The change in words.
    """

    lever: Lever
    fields: Mapping[str, Any]
    message: str

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {"lever": self.lever, "fields": plain(self.fields), "message": self.message}

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Repair(Shown):
    """A repaired design with its changes.

    Attributes:
        design: The repaired design.
        changes: The changes in order; empty if the design already scanned.
        before: Report on the original design.
        after: Report on the repaired design.
    """

    design: Design
    changes: tuple[Change, ...]
    before: ScanReport
    after: ScanReport

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, keyed by the interface's field names."""
        return {
            "design": plain(self.design),
            "changes": [change.as_dict() for change in self.changes],
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
        }

    def __str__(self) -> str:
        done = [f"  {change.message}" for change in self.changes] or ["  nothing had to be changed"]
        return "\n".join((f"{self.before.verdict} -> {self.after.verdict} ({self.after.level} check)", *done))

    def __repr__(self) -> str:
        count = len(self.changes)
        return f"<Repair {self.before.verdict} -> {self.after.verdict}, {count} change{'' if count == 1 else 's'}>"


def make_scannable(
    design: Design,
    target: float = MOST_USED,
    *,
    may: Collection[str] | None = None,
    level: Level = "standard",
    audience: Audience = "phones",
    fetch: Fetch | None = None,
) -> Repair:
    """Change a design as little as possible so that a check of this level rates it at least `ok`.

    Args:
        design: The design to repair.
        target: Share of the worst block's error correction that the design may use, 0..1.
        may: The changes that are allowed, out of `qrkit.scanning.levers.LEVERS`; None allows all of them.
        level: The level of the checks before and after, as in `qrkit.check`. `static` runs no reader and takes a
            fraction of the time.
        audience: Whose readers must read it, as in `qrkit.check`.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.

    Raises:
        CannotRepair: If the allowed changes are not enough; the error names the obstacles and further changes that
            would help.
        InvalidParameter: If a lever is unknown, or the target is not in 0..1.
        ContentTooLong: If the content does not fit.
        AssetError: If an image in the design is invalid or cannot be fetched.
        RenderingFailed: If the renderer fails on a part of the design.
    """
    may = LEVERS if may is None else may
    _check(target, may)
    before = examine(drawn(design, fetch), level, audience=audience)
    best: Repair | None = None
    measured = Bench(design, target, fetch, audience)
    for share in SHARES:
        bench = measured.aiming(target * share)
        steps, state = found_steps(bench, design, may)
        if bench.is_good(state):
            masks = MASKS if share == SHARES[0] and "mask" in may and level != "static" else ()
            for chosen in _choices(bench, design, steps, masks):
                found = _repair(design, chosen, before, fetch)
                if found.after.is_at_least("ok"):
                    return found
                best = max(best or found, found, key=lambda one: one.after.score)
        elif best is None:
            raise _refusal(bench, design, state, target, may)
    assert best is not None  # the first share either gave a result or raised an error
    raise CannotRepair(f"the best design that was found is still {best.after.fault}. {_advice(may)}")


def _choices(bench: Bench, design: Design, steps: list[Step], masks: Iterable[int]) -> Iterator[list[Step]]:
    """Yield the necessary steps, then the same steps with other data masks."""
    needed = needed_steps(bench, design, steps)
    yield needed
    for mask in masks:
        masked = [step for step in needed if step.lever != "mask"]
        masked.append(Step("mask", partial(relaid, mask=mask)))
        state = bench.after(design, masked)
        if state and bench.is_good(state):
            yield masked


def _repair(design: Design, steps: Sequence[Step], before: ScanReport, fetch: Fetch | None) -> Repair:
    """Apply steps to a design and check the result."""
    changes = []
    repaired = design
    for step in steps:
        changed = step.apply(repaired)
        if changed != repaired:
            changes.append(_change(step, repaired, changed))
        repaired = changed
    return Repair(repaired, tuple(changes), before, _examined(repaired, before, fetch))


def _examined(design: Design, before: ScanReport, fetch: Fetch | None) -> ScanReport:
    """Check a design as another was checked before."""
    return examine(drawn(design, fetch), before.level, audience=before.audience)


def _advice(may: Collection[str]) -> str:
    """Suggest what else to allow if readers fail although no issue is left."""
    others = [lever for lever in LEVERS if lever not in may]
    return f"Allow more changes: {', '.join(others)}" if others else "Choose plainer modules, eyes or colors"


def _check(target: float, may: Collection[str]) -> None:
    if not 0 <= target <= 1:
        raise InvalidParameter(Problem("target", target, "must be in 0..1 of the error correction", "out-of-range"))
    for lever in may:
        if lever not in LEVERS:
            raise InvalidParameter(Problem("may", lever, "is nothing to change; " + nearest(lever, LEVERS)))


def _refusal(bench: Bench, design: Design, state: State, target: float, may: Collection[str]) -> CannotRepair:
    """Create the error that names the obstacles and further changes that would help."""
    reasons = [issue.message for issue in state.issues]
    if not bench.allows(state.budget.used):
        reasons.append(f"{state.budget.used:.0%} of the error correction is used, and {target:.0%} may be")
    helpful: list[Lever] = []
    steps, other = found_steps(bench, design, LEVERS) if not {*LEVERS} <= {*may} else ([], state)
    if bench.is_good(other):
        helpful = [lever for lever in LEVERS if lever not in may and any(step.lever == lever for step in steps)]
    hint = f"it would help to allow {', '.join(helpful)}" if helpful else "no other change would help"
    return CannotRepair(f"the best that was found: {'; '.join(reasons)}. {hint.capitalize()}", levers=helpful)


def _change(step: Step, before: Design, after: Design) -> Change:
    names = [name for name in type(after).model_fields if getattr(after, name) != getattr(before, name)]
    return Change(step.lever, {name: getattr(after, name) for name in names}, _describe(step.lever, before, after))


def _describe(lever: Lever, before: Design, after: Design) -> str:
    """Describe a change in words."""
    if lever in ("layer_place", "layer_opacity", "layer_size"):
        return _describe_layer(lever, before, after)
    light = "" if before.background == after.background else " on white"
    colors = [name for name in ("foreground", "background") if getattr(before, name) != getattr(after, name)]
    return {
        "flip": "the symbol is not mirrored any more",
        "padding": f"{after.padding} modules of quiet zone{light} instead of {before.padding}",
        "colors": f"{' and '.join(colors)} with more contrast, dark on light",
        "markers": "eyes in shapes and colors that readers find",
        "modules": "modules drawn with more weight",
        "mask": f"data mask {after.mask}",
        "pad_codewords": "pad codewords that follow the drawing, which no reader sees",
        "ec": f"error correction {after.ec} instead of {before.ec}",
        "version": f"version {after.version} with all in proportion",
    }[lever]


def _describe_layer(lever: Lever, before: Design, after: Design) -> str:
    """Describe the change of the first layer that differs."""
    pairs = enumerate(zip(before.layers, after.layers, strict=True))
    at, (old, new) = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
    if lever == "layer_opacity":
        return f"opacity of layers.{at} {new.opacity:g} instead of {old.opacity:g}"
    if lever == "layer_size":
        return f"layers.{at} {1 - new.width / old.width:.0%} smaller"
    return f"layers.{at} {new.x - old.x:+.0f} pixels to the right and {new.y - old.y:+.0f} down"
