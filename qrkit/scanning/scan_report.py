"""Provides `ScanReport`, which says whether a design scans, with how much margin, and what would improve it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from qrkit.design.print_width import least_width_mm
from qrkit.late import Shown, named
from qrkit.scanning.measures import Structure, json_fields

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.scanning.budget import Budget
    from qrkit.scanning.grade import Grade
    from qrkit.scanning.panel import Panel
    from qrkit.scanning.photographs.photo_grade import PhotoGrade

__all__ = [
    "AUDIENCES", "LEVELS", "ON", "VERDICTS", "Audience", "Issue", "Level", "ScanReport", "Severity", "Verdict", "worse",
]  # fmt: skip

Verdict: TypeAlias = Literal["unreadable", "fragile", "ok", "robust"]
"""The result of a check."""

Level: TypeAlias = Literal["static", "quick", "standard", "full"]
"""The thoroughness of a check."""

Audience: TypeAlias = Literal["phones", "all"]
"""Whose readers must read a symbol: those of phones, or embedded readers, such as checkout scanners, too."""

Severity: TypeAlias = Literal["fatal", "error", "warning", "note"]
"""The effect of an issue on the verdict: unreadable, fragile, at best ok, or none."""

VERDICTS: tuple[Verdict, ...] = ("unreadable", "fragile", "ok", "robust")
"""All verdicts, from worst to best."""

AUDIENCES: tuple[Audience, ...] = ("phones", "all")
"""All audiences."""

LEVELS: tuple[Level, ...] = ("static", "quick", "standard", "full")
"""All levels: without readers, or with readers in a few, in the usual, or in all conditions."""

ON: dict[Audience, str] = {
    "phones": "on phones (simulated)",
    "all": "on phones and embedded readers (simulated)",
}
"""The audience in words, behind a verdict."""


Find: TypeAlias = Callable[[], tuple[str, str, Mapping[str, Any] | None]]
"""Returns where an issue is, its message and its fix."""

TOLD = ("verdict", "score", "level", "audience", "phones", "embedded", "content", "place", "others")
"""The attributes of a report that are plain data."""
MEASURED = ("budget", "structure", "panel", "grade", "photo")
"""The attributes of a report with what was measured."""
EXPLANATION = ("where", "message", "fix")
"""The attributes of an issue that may be found late."""


@dataclass(frozen=True, slots=True)
class Issue:
    """A problem that readers have with a design.

    Attributes:
        code: A stable identifier: alignment, charset, contrast, error-budget, eye-contrast, eye-corner, eye-fit,
            eye-gap, eye-pupil, eye-radius, eye-ring, eye-size, eye-width, fixed-pattern, fourth-eye, mirrored,
            module-weight, not-read, polarity, quiet-zone, till-color, till-logo, wrong-text. Of photos:
            contrast, error-budget, fixed-pattern, ink-loss, ink-spread, logo, mirrored, polarity, quiet-zone; and
            photo-blur, photo-glare, photo-noise, photo-pixels, photo-shadow, photo-unread, which say why a photo
            cannot show whether the print is good.
        severity: fatal (unreadable), error (fragile), warning (at best ok) or note.
        where: Field of the design, or part of the symbol.
        measured: The measured value.
        needed: The value that would be enough.
        message: Both values in a sentence, with their unit.
        fix: Fields for `design.replace(**fix)`; None if no single change helps.
        embedded: Its severity for embedded readers, if only they are concerned; such an issue is a note for phones.
    """

    code: str
    severity: Severity
    where: str
    measured: float
    needed: float
    message: str
    fix: Mapping[str, Any] | None = None
    embedded: Severity | None = None
    _find: Find | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def explained_late(cls, code: str, severity: Severity, measured: float, needed: float, find: Find) -> Self:
        """Return an issue whose `where`, `message` and `fix` are found when one of them is first asked for.

        Args:
            code: As in the attributes.
            severity: As in the attributes.
            measured: As in the attributes.
            needed: As in the attributes.
            find: Returns `where`, `message` and `fix`, which takes too long for those who ask only for a verdict.
        """
        issue = cls(code, severity, "", measured, needed, "")
        for name in EXPLANATION:
            object.__delattr__(issue, name)
        object.__setattr__(issue, "_find", find)
        return issue

    def __getattr__(self, name: str) -> Any:
        # Called for an attribute that is not there: for one of the explanation, before it is found.
        if name in EXPLANATION and (find := self._find):
            for part, value in zip(EXPLANATION, find(), strict=True):
                object.__setattr__(self, part, value)
            object.__setattr__(self, "_find", None)  # it holds the drawing, which may have megabytes
        return object.__getattribute__(self, name)  # another thread may just have found it

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        # Loads pydantic, which issues of pictures do without: they have no fix.
        fix = None if self.fix is None else named("model:plain")(self.fix)
        return json_fields(self) | {"needed": self.needed, "fix": fix}


@dataclass(frozen=True, slots=True)
class ScanReport(Shown):
    """The result of a check. Notebooks show it, with the heat map, if it is the last line of a cell.

    For a photo of a print, `photo` has the answer in words of its own. The verdict follows from it: robust for a good
    print, ok for a weak one or if the photo cannot show it, fragile for a bad one.

    Attributes:
        verdict: robust (read by all readers of the audience in all conditions), ok, fragile or unreadable.
        score: How often the symbol is read, compared with a plain one, 0..100; issues limit the score. 100 means as
            often as a plain symbol.
        level: static, quick, standard or full.
        audience: phones, or all, which also asks embedded readers.
        phones: The verdict for phones, from simulated captures; `static` measures the drawing instead.
        embedded: The verdict for embedded readers, which look for contours. For audience phones, no such reader is
            asked, and it says what the measures of the drawing tell.
        content: The content of the symbol.
        place: The frame or page of an image that was judged, the first with a QR Code, such as “page 2 of 5”; empty if
            there is only one.
        others: The contents of further QR Codes in the image, in reading order; the report is on the first.
        issues: The issues, the worst first.
        budget: Error correction used; of a photo, by damage of the print; None for an image whose encoding is unknown.
        structure: Eyes, weights, quiet zone and contrast; None for a photo, or an image whose encoding is unknown.
        panel: The results of the readers; None at level static, and for a photo, which is one capture already.
        grade: Print grade based on ISO/IEC 15415, not a verification; only at levels standard and full, and not for a
            photo, whose light is not calibrated.
        design: The checked design; None for an image.
        modules_wide: Width of the picture in modules, with quiet zone and frame; None for an image.
        photo: What a photo says about the print that it shows, and about itself; None for a design or a drawing.
    """

    verdict: Verdict
    score: int
    level: Level
    content: str
    issues: tuple[Issue, ...]
    audience: Audience = "phones"
    phones: Verdict = "robust"
    embedded: Verdict = "robust"
    budget: Budget | None = None
    structure: Structure | None = None
    panel: Panel | None = None
    grade: Grade | None = None
    design: Design | None = None
    modules_wide: float | None = None
    photo: PhotoGrade | None = None
    place: str = ""
    others: tuple[str, ...] = ()

    def is_at_least(self, verdict: Verdict) -> bool:
        """Return True if the verdict is this one or better."""
        return VERDICTS.index(self.verdict) >= VERDICTS.index(verdict)

    @property
    def subject(self) -> str | None:
        """Which of several QR Codes, frames or pages of the image the report is on; None if there is only one."""
        if not self.others:
            return f"This report is on {self.place}, the first with a QR Code." if self.place else None
        from qrkit.contents.cards import summary  # hides passwords; most pictures show one code

        found = f"{1 + len(self.others)} QR Codes were found{self.place and f' on {self.place}'}; this report is on the"
        found = f"{found} first ({summary(self.content)})."
        return f"{found} Crop the picture to check the others."

    @property
    def fault(self) -> str | None:
        """The verdict and the worst issue; None if the verdict is robust."""
        if self.is_at_least("robust"):
            return None
        verdict = "ok, not robust" if self.verdict == "ok" else self.verdict
        return f"{verdict}: {self.issues[0].message}"

    def least_width_mm(self, distance_m: float | None = None) -> float | None:
        """Return the least width in millimeters at which most phones read a print; None if an image was checked.

        Args:
            distance_m: Distance of the phone in meters, up to 1,000; None for one that is held close.

        Raises:
            InvalidParameter: If the distance is out of range.
        """
        return None if self.modules_wide is None else least_width_mm(self.modules_wide, distance_m)

    def fixed(self, issue: Issue) -> Design:
        """Return the design with the fix for one of its issues.

        Raises:
            ValueError: If an image was checked, or the issue has no fix.
        """
        if self.design is None or issue.fix is None:
            raise ValueError(
                f"{issue.code} has no automatic fix"
                if self.design
                else "an image cannot be fixed; check the design instead"
            )
        return self.design.replace(**issue.fix)

    def as_dict(self) -> dict[str, Any]:
        """As plain data in the interface's names, for JSON."""
        return {
            **{name: getattr(self, name) for name in TOLD},
            "issues": [issue.as_dict() for issue in self.issues],
            **{name: (one := getattr(self, name)) and one.as_dict() for name in MEASURED},
            "leastWidthMm": None if (least := self.least_width_mm()) is None else round(least, 1),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Return `as_dict` as JSON text."""
        import json

        return json.dumps(self.as_dict(), ensure_ascii=False, indent=indent)

    def __str__(self) -> str:
        head = [self.subject] if self.subject else []
        if self.photo:
            return "\n  ".join((*head, *self.photo.sentences))
        lines = [*head, f"{self.verdict} {ON[self.audience]}, score {self.score} of 100 ({self.level} check)"]
        if self.audience == "all" and self.phones != self.embedded:
            lines.append(f"  phones: {self.phones}; embedded readers: {self.embedded}")
        lines += [f"  {issue}" for issue in self.issues]
        return "\n".join(lines)

    def __repr__(self) -> str:
        issues = "1 issue" if len(self.issues) == 1 else f"{len(self.issues)} issues"
        return f"<ScanReport {self.verdict}, score {self.score}, {issues}, {self.level}>"


def worse(*verdicts: Verdict | None) -> Verdict:
    """Return the worst of some verdicts; None counts as the best."""
    return min((verdict for verdict in verdicts if verdict), key=VERDICTS.index, default=VERDICTS[-1])
