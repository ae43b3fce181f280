"""Provides `make_scannable`, which finds the smallest changes that make a design scan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from qrkit.design.design import Design
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import CannotRepair, InvalidParameter, Problem, counted, one_of
from qrkit.late import Shown
from qrkit.model import plain
from qrkit.scanning.bench import Bench, State, Step
from qrkit.scanning.issues import MOST_USED
from qrkit.scanning.levers import LEVERS, Lever
from qrkit.scanning.part_names import layer_name
from qrkit.scanning.scan_report import Audience, Level, ScanReport
from qrkit.scanning.search import found_steps, needed_steps
from qrkit.scanning.verdict import no_verdict

__all__ = ["Change", "Repair", "make_scannable"]


SHARES = (1.0, 0.6, 0.3)
"""Shares of the target to try: lower ones if readers still fail at the target."""

COLORED = {
    "foreground": "the foreground",
    "background": "the background",
    "modules": "the modules",
    "markers": "the eyes",
}
"""The parts whose colors can be changed."""

HALF = 0.5
"""Pixels from which a movement is worth naming."""

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


@dataclass(frozen=True)
class Repair(Shown):
    """A repaired design with its changes.

    Attributes:
        design: The repaired design.
        changes: The changes in order; empty if the design already scanned.
        after: Report on the repaired design.
        before: Report on the original design.
    """

    design: Design
    changes: tuple[Change, ...]
    after: ScanReport
    before: ScanReport

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, keyed by the interface's field names."""
        return {
            "design": plain(self.design),
            "changes": [change.as_dict() for change in self.changes],
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
        }

    def __str__(self) -> str:
        done = [f"  {change.message}" for change in self.changes] or ["  no changes needed"]
        return "\n".join((f"{self.before.verdict} -> {self.after.verdict} ({self.after.level} check)", *done))

    def __repr__(self) -> str:
        return f"<Repair {self.before.verdict} -> {self.after.verdict}, {counted(len(self.changes), 'change')}>"


def make_scannable(
    design: Design,
    target: float = MOST_USED,
    *,
    may: Collection[str] | None = None,
    level: Level = "standard",
    audience: Audience = "phones",
    fetch: Fetch | None = None,
) -> Repair:
    """Change a design as little as possible so that it scans: `check()` rates the result at least `ok`.

    A robust design is returned as it is, and so is one that is `ok` if no change that may be made improves it.

    Args:
        design: The design to repair.
        target: Share of the worst block's error correction that the design may use, 0..1.
        may: The changes that are allowed, out of `qrkit.scanning.levers.LEVERS`; None allows all of them.
        level: The level of the checks before and after, as in `qrkit.check`. `static` runs no reader and takes a
            fraction of the time.
        audience: Whose readers must read it: `phones`, or `all`, which adds embedded readers; see `qrkit.check`.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.

    Raises:
        CannotRepair: If the allowed changes are not enough; the error names the obstacles and further changes that
            would help, and has the best design that was found.
        InvalidParameter: If an argument breaks its rule, or the design is a Micro QR Code, which has no verdict.
        ContentTooLong: If the content does not fit.
        AssetError: If an image in the design is invalid or cannot be fetched.
        RenderingFailed: If the renderer fails on a part of the design.

    Example:
        >>> from qrkit import Design
        >>> print(Design(content="https://example.com", padding=0).make_scannable())
        fragile -> robust (standard check)
          widened the quiet zone from 0 to 4 modules
    """
    may = LEVERS if may is None else may
    _check(target, may)
    if design.micro:
        raise no_verdict()
    best: Repair | None = None
    measured = Bench(target, fetch, audience)
    before = measured.report(design, level)
    if before.verdict == "robust" and before.budget is not None and before.budget.used <= target:
        return Repair(design, (), before, before)
    for share in SHARES:
        bench = measured.aiming(target * share)
        steps, state = found_steps(bench, design, may)
        if bench.is_good(state):
            masks = MASKS if share == SHARES[0] and "mask" in may and level != "static" else ()
            for chosen in _choices(bench, design, steps, masks):
                found = _repair(bench, design, chosen, before)
                if found.after.is_at_least("ok") and found.after.score >= before.score:
                    return found
                best = max(best or found, found, key=lambda one: one.after.score)
        elif best is None:
            best = _repair(bench, design, steps, before)
            if not before.is_at_least("ok"):
                raise _refusal(bench, design, state, may, _better(best, design))
            break
    assert best is not None  # the first share either gave a result or none
    if before.is_at_least("ok"):
        return Repair(design, (), before, before)
    best = _better(best, design)
    raise CannotRepair(f"the best design that was found is still {best.after.fault}. {_advice(may)}", best=best)


def _better(found: Repair, original: Design) -> Repair:
    """Return a repair; the original design if the changes made it worse."""
    if found.after.score >= found.before.score:
        return found
    return Repair(original, (), found.before, found.before)


def _choices(bench: Bench, design: Design, steps: list[Step], masks: Iterable[int]) -> Iterator[list[Step]]:
    """Yield the necessary steps, then the same steps with other data masks."""
    needed = needed_steps(bench, design, steps)
    yield needed
    for mask in masks:
        masked = [step for step in needed if step.lever != "mask"]
        masked.append(Step("mask", partial(Design.replace, mask=mask)))
        state = bench.after(design, masked)
        if state and bench.is_good(state):
            yield masked


def _repair(bench: Bench, design: Design, steps: Sequence[Step], before: ScanReport) -> Repair:
    """Apply steps to a design and check the result."""
    changes = []
    repaired = design
    for step in steps:
        changed = step.apply(repaired)
        if changed != repaired:
            changes.append(_change(step, repaired, changed))
        repaired = changed
    return Repair(repaired, tuple(changes), bench.report(repaired, before.level), before)


def _advice(may: Collection[str]) -> str:
    """Suggest what else to allow if readers fail although no issue is left."""
    others = [lever for lever in LEVERS if lever not in may]
    return f"Allow more changes: {', '.join(others)}" if others else "Choose plainer modules, eyes or colors"


def _check(target: float, may: Collection[str]) -> None:
    if not 0 <= target <= 1:
        raise InvalidParameter(Problem("target", target, "must be between 0 and 1", "out-of-range"))
    for lever in may:
        one_of("may", lever, LEVERS, "is not something that can be changed")


def _refusal(bench: Bench, design: Design, state: State, may: Collection[str], best: Repair) -> CannotRepair:
    """Create the error that names the obstacles and further changes that would help."""
    reasons = [issue.message for issue in state.issues]
    if not bench.allows(state.budget.used):
        reasons.append(
            f"{state.budget.used:.0%} of the error correction is used, above the limit of {bench.target:.0%}"
        )
    helpful: list[Lever] = []
    steps, other = found_steps(bench, design, LEVERS) if not {*LEVERS} <= {*may} else ([], state)
    if bench.is_good(other):
        helpful = [lever for lever in LEVERS if lever not in may and any(step.lever == lever for step in steps)]
    hint = f"also allow {', '.join(helpful)}" if helpful else "simplify the design"
    left = "; ".join(reason.partition("; ")[0] for reason in reasons)
    return CannotRepair(f"could not make the design scan: {left}; {hint}", levers=helpful, best=best)


def _change(step: Step, before: Design, after: Design) -> Change:
    names = [name for name in type(after).model_fields if getattr(after, name) != getattr(before, name)]
    return Change(step.lever, {name: getattr(after, name) for name in names}, _describe(step.lever, before, after))


def _describe(lever: Lever, before: Design, after: Design) -> str:
    """Describe a change in words."""
    if lever in ("layer_place", "layer_opacity", "layer_size"):
        return _describe_layer(lever, before, after)
    light = "" if before.background == after.background else ", on white"
    wider = f"widened the quiet zone from {before.padding} to {after.padding} modules{light}"
    changed = [words for name, words in COLORED.items() if getattr(before, name) != getattr(after, name)]
    return {
        "flip": "removed the mirroring",
        "padding": wider if before.padding != after.padding else "put the code on white",
        "colors": f"increased the contrast of {' and '.join(changed)}, dark on light",
        "markers": "changed the eyes to shapes and colors that scanners find",
        "modules": "made the modules larger",
        "mask": f"switched to data mask {after.mask}",
        "pad_codewords": "adapted unused data to the design",
        "ec": f"changed error correction from {before.ec} to {after.ec}",
        "version": f"enlarged the symbol to version {after.version}, everything else to scale",
    }[lever]


def _describe_layer(lever: Lever, before: Design, after: Design) -> str:
    """Describe the change of the first layer that differs."""
    pairs = enumerate(zip(before.layers, after.layers, strict=True))
    at, (old, new) = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
    name = layer_name(at, before)
    if lever == "layer_opacity":
        return f"changed the opacity of {name} from {old.opacity:.0%} to {new.opacity:.0%}"
    if lever == "layer_size":
        return f"made {name} {1 - new.width / old.width:.0%} smaller"
    right, down = new.x - old.x, new.y - old.y
    across = f"{abs(right):.0f} {'pixels right' if right > 0 else 'pixels left'}" if abs(right) >= HALF else ""
    along = f"{abs(down):.0f} {'pixels down' if down > 0 else 'pixels up'}" if abs(down) >= HALF else ""
    return f"moved {name} {' and '.join(filter(None, (across, along))) or 'by less than a pixel'}"
