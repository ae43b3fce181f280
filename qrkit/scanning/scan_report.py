"""`ScanReport`: whether a design scans, with how much room, what is in the way, and what would help."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from qrkit.design.design import Design
from qrkit.late import Shown
from qrkit.model import plain

if TYPE_CHECKING:
    from qrkit.scanning.budget import Budget
    from qrkit.scanning.grade import Grade
    from qrkit.scanning.measures import Structure
    from qrkit.scanning.panel import Panel

__all__ = ["LEVELS", "VERDICTS", "Issue", "Level", "ScanReport", "Severity", "Verdict"]

Verdict: TypeAlias = Literal["unreadable", "fragile", "ok", "robust"]
"""What a check comes to, in one word."""

Level: TypeAlias = Literal["static", "quick", "standard", "full"]
"""How thorough a check is."""

Severity: TypeAlias = Literal["fatal", "error", "warning", "note"]
"""What an issue makes of a verdict: unreadable, fragile, ok at best, or nothing."""

VERDICTS: tuple[Verdict, ...] = ("unreadable", "fragile", "ok", "robust")
"""From the worst to the best."""

LEVELS: tuple[Level, ...] = ("static", "quick", "standard", "full")
"""How thorough a check is: by arithmetic alone, or with readers in 7, 19 or all conditions."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is in the way of readers.

    Attributes:
        code: A stable word: error-budget, fixed-pattern, eye-corner, eye-gap, eye-pupil, eye-ring, module-weight,
            quiet-zone, contrast, polarity, mirrored, wrong-text, not-read.
        severity: fatal (unreadable), error (fragile), warning (ok at best) or note.
        where: Field of the design, or part of the symbol.
        measured: What was found.
        needed: What would be enough.
        message: Both in a sentence, with the unit.
        fix: Fields for `design.replace(**fix)`; None where no single change helps.
    """

    code: str
    severity: Severity
    where: str
    measured: float
    needed: float
    message: str
    fix: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "where": self.where,
            "measured": round(self.measured, 3),
            "needed": self.needed,
            "message": self.message,
            "fix": None if self.fix is None else plain(self.fix),
        }


@dataclass(frozen=True, slots=True)
class ScanReport(Shown):
    """What a check found. The last line of a notebook's cell shows it, with the heat map.

    Attributes:
        verdict: robust (readers of both schools, in all conditions), ok, fragile or unreadable.
        score: 0..100: how much of what a plain symbol gets read this one gets read, too, at most what the issues leave;
            100 reads like plain.
        level: static, quick, standard or full.
        content: What the symbol says.
        issues: What is in the way, the worst first.
        budget: Error correction used; None for a picture whose modules cannot be told.
        structure: Eyes, weights, quiet zone and contrast; likewise.
        panel: What readers saw; None at level static.
        grade: Print grade in the manner of ISO/IEC 15415, not a verification; from level standard on.
        design: What was checked; None for a picture.
    """

    verdict: Verdict
    score: int
    level: Level
    content: str
    issues: tuple[Issue, ...]
    budget: Budget | None = None
    structure: Structure | None = None
    panel: Panel | None = None
    grade: Grade | None = None
    design: Design | None = None

    def is_at_least(self, verdict: Verdict) -> bool:
        """Whether the verdict is this one or better."""
        return VERDICTS.index(self.verdict) >= VERDICTS.index(verdict)

    @property
    def fault(self) -> str | None:
        """The verdict and what is in the way; None for what is robust."""
        if self.is_at_least("robust"):
            return None
        verdict = "ok, not robust" if self.verdict == "ok" else self.verdict
        return f"{verdict}: {self.issues[0].message}"

    def fixed(self, issue: Issue) -> Design:
        """The design with the fix of one of its issues.

        Raises:
            ValueError: A picture was checked, or the issue has no fix.
        """
        if self.design is None or issue.fix is None:
            raise ValueError(f"{issue.code} has no fix" if self.design else "a picture cannot be fixed, only a design")
        return self.design.replace(**issue.fix)

    def as_dict(self) -> dict[str, Any]:
        """As plain data in the interface's names, for JSON."""
        return {
            "verdict": self.verdict,
            "score": self.score,
            "level": self.level,
            "content": self.content,
            "issues": [issue.as_dict() for issue in self.issues],
            "budget": self.budget and self.budget.as_dict(),
            "structure": self.structure and self.structure.as_dict(),
            "panel": self.panel and self.panel.as_dict(),
            "grade": self.grade and self.grade.as_dict(),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """`as_dict` as text."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=indent)

    def __str__(self) -> str:
        lines = [f"{self.verdict}, score {self.score} of 100 ({self.level} check)"]
        lines += [f"  {issue}" for issue in self.issues]
        return "\n".join(lines)

    def __repr__(self) -> str:
        issues = "1 issue" if len(self.issues) == 1 else f"{len(self.issues)} issues"
        return f"<ScanReport {self.verdict}, score {self.score}, {issues}, {self.level}>"
