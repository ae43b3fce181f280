"""Says what a photo tells about a print, in one word and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from qrkit.scanning.issues import LIGHT_ON_DARK, MIRRORED, STANDARD_QUIET, sorted_issues
from qrkit.scanning.part_names import eyes_name
from qrkit.scanning.scan_report import Issue, Severity
from qrkit.symbol.symbol import FINDER, finder_places

if TYPE_CHECKING:
    from qrkit.scanning.budget import Budget, Flags
    from qrkit.scanning.photographs.photo_grade import PhotoGrade


PrintVerdict: TypeAlias = Literal["good", "weak", "bad", "unsure"]
"""What a photo says about a print; unsure if the photo cannot show it."""

SIDES = ("top", "right", "bottom", "left")
"""Sides of a symbol."""

LEAST_PIXELS, LEAST_SHARPNESS, LEAST_LIGHT = 2.5, 0.35, 0.15
MOST_NOISE, MOST_GLARE, MOST_HIDDEN = 0.25, 0.06, 0.01
"""Bounds of what a photo must show: pixels per module, and shares as in `PhotoGrade`; hidden modules as a share."""

WEAK_USED, BAD_USED = 0.3, 0.75
MOST_LOGO_USED = 0.75
WEAK_EYE, BAD_EYE = 3, 5
WEAK_CONTRAST, BAD_CONTRAST = 0.5, 0.35
WEAK_QUIET, BAD_QUIET = 2, 1
WEAK_SPREAD, BAD_SPREAD = 0.12, 0.17
WEAK_LOSS, BAD_LOSS = -0.09, -0.15
"""Bounds of a print; it is weak or bad from the bounds of damage, of a logo and of wrong modules in an eye on, below
those of contrast and quiet zone, and beyond those of ink that has spread or is missing."""

HEADS: dict[PrintVerdict, str] = {
    "good": "The print is good.",
    "weak": "The print is readable, but it has less reserve than it should.",
    "bad": "The print is at risk: phones will fail on it in poor light or from afar.",
    "unsure": "This photo cannot show whether the print is good.",
}


def verdict_of(photo: PhotoGrade) -> PrintVerdict:
    """Return the verdict on a print."""
    if _hidden(photo):
        return "unsure"
    severities = {issue.severity for issue in _faults(photo)}
    return "bad" if "error" in severities else "weak" if "warning" in severities else "good"


def issues_of_photo(photo: PhotoGrade) -> tuple[Issue, ...]:
    """Return what is wrong with a print, the worst first; or what the photo hides, if that is too much."""
    if hidden := _hidden(photo):
        return hidden
    return sorted_issues(_faults(photo))


def sentences_of(photo: PhotoGrade) -> tuple[str, ...]:
    """Return the verdict on a print, its faults, and what does not count against it."""
    messages = (f"{issue.message[0].upper()}{issue.message[1:]}." for issue in issues_of_photo(photo))
    return (HEADS[verdict_of(photo)], *messages, *_notes(photo))


def _hidden(photo: PhotoGrade) -> tuple[Issue, ...]:
    """Return why the photo cannot show whether the print is good, with what to do about it; nothing if it can."""
    pixels, glare = photo.pixels, photo.glare if photo.hidden > MOST_HIDDEN * photo.budget.wrong.size else 0.0
    few = f"a module has only {pixels:.1f} pixels: come closer, until the code fills a third of the picture"
    hindrances = (
        (pixels < LEAST_PIXELS, "photo-pixels", pixels, LEAST_PIXELS, few),
        (photo.sharpness < LEAST_SHARPNESS, "photo-blur", photo.sharpness, LEAST_SHARPNESS,
         "the photo is blurred: hold still, and tap the code to focus"),
        (photo.noise > MOST_NOISE, "photo-noise", photo.noise, MOST_NOISE, "the photo is noisy: use more light"),
        (glare > MOST_GLARE, "photo-glare", glare, MOST_GLARE,
         f"glare hides {photo.hidden} modules: tilt the print or move the lamp"),
        (photo.light < LEAST_LIGHT, "photo-shadow", photo.light, LEAST_LIGHT,
         "a shadow covers a part of the code: move it out of the shadow"),
    )  # fmt: skip
    found = tuple(
        Issue(code, "warning", "photo", measured, needed, message)
        for hides, code, measured, needed, message in hindrances
        if hides
    )
    if found or photo.is_read or any(issue.severity != "note" for issue in _faults(photo)):
        return found
    message = "phones can barely read the code in this photo: hold still, come closer, and use more light"
    return (Issue("photo-unread", "warning", "photo", 0, 1, message),)


def _faults(photo: PhotoGrade) -> Iterator[Issue]:
    """Yield what is wrong with the print."""
    if photo.is_inverted and not photo.is_compared:
        yield Issue("polarity", "error", "print", -photo.contrast, WEAK_CONTRAST, LIGHT_ON_DARK)
    if photo.is_mirrored:
        yield Issue("mirrored", "warning", "print", 1, 0, MIRRORED)
    if photo.budget.wrong.any():
        severity = _severity(photo.used, WEAK_USED, BAD_USED)
        yield Issue("error-budget", severity, "print", photo.used, WEAK_USED, _damage(photo))
    eyes = {corner: count for corner, count in _eye_damage(photo.budget.wrong).items() if count >= WEAK_EYE}
    if worst := max(eyes.values(), default=0):
        message = f"{_damaged(photo, sum(eyes.values()))} across {eyes_name(eyes)}, by which phones find the code"
        yield Issue("fixed-pattern", _severity(worst, WEAK_EYE, BAD_EYE), "print", worst, WEAK_EYE, message)
    if photo.logo:
        count, used = _counted(int(photo.logo.wrong.sum())), photo.logo.used
        message = f"{count} covered in the middle, as by a logo; {_codewords(photo.logo)}"
        severity = "error" if used >= 1 else "warning" if used >= MOST_LOGO_USED else "note"
        yield Issue("logo", severity, "print", used, MOST_LOGO_USED, message)
    sides = [(reach, side) for reach, side in zip(photo.quiet, SIDES, strict=True) if reach is not None]
    if narrow := [side for reach, side in sides if reach < WEAK_QUIET]:
        least = min(sides)[0]
        message = (
            f"the quiet zone is narrower than {least + 1} {'module' if least == 0 else 'modules'} at the "
            f"{_listed(narrow)}; the standard asks for {STANDARD_QUIET}"
        )
        severity = _severity(-least, 1 - WEAK_QUIET, 1 - BAD_QUIET)
        yield Issue("quiet-zone", severity, "print", least, WEAK_QUIET, message)
    if photo.contrast < WEAK_CONTRAST:
        message = f"the ink is pale: it reflects {1 - photo.contrast:.0%} of the light that the paper reflects"
        severity = _severity(-photo.contrast, -WEAK_CONTRAST, -BAD_CONTRAST)
        yield Issue("contrast", severity, "print", photo.contrast, WEAK_CONTRAST, message)
    gain = photo.gain or 0.0
    if gain > WEAK_SPREAD:
        message = "the ink has spread: dark modules are wider than light ones"
        yield Issue("ink-spread", _severity(gain, WEAK_SPREAD, BAD_SPREAD), "print", gain, WEAK_SPREAD, message)
    if gain < WEAK_LOSS:
        message = "the ink is thin: dark modules are narrower than light ones"
        yield Issue("ink-loss", _severity(-gain, -WEAK_LOSS, -BAD_LOSS), "print", gain, WEAK_LOSS, message)


def _severity(measured: float, weak: float, bad: float) -> Severity:
    return "error" if measured >= bad else "warning" if measured >= weak else "note"


def _eye_damage(wrong: Flags) -> dict[str, int]:
    """Return how many modules of each eye are wrong in the three rows and columns by which readers find it."""
    eyes = {corner: wrong[y : y + FINDER, x : x + FINDER] for corner, (y, x) in finder_places(len(wrong)).items()}
    return {corner: int(eye[2:-2].sum() + eye[[0, 1, -2, -1], 2:-2].sum()) for corner, eye in eyes.items()}


def _damage(photo: PhotoGrade) -> str:
    """Say how many modules are damaged, and what that costs."""
    damaged = _damaged(photo, int(photo.budget.wrong.sum()))
    if not sum(photo.budget.errors):
        return f"{damaged} in the fixed patterns; the message is untouched"
    return f"{damaged}; {_codewords(photo.budget)}"


def _damaged(photo: PhotoGrade, modules: int) -> str:
    return f"{_counted(modules)} {'not as designed' if photo.is_compared else 'damaged'}"


def _counted(modules: int) -> str:
    return "1 module is" if modules == 1 else f"{modules} modules are"


def _codewords(budget: Budget) -> str:
    errors, most = budget.errors[budget.worst_block], budget.correctable[budget.worst_block]
    blocks = f" of the worst of {len(budget.errors)} blocks" if len(budget.errors) > 1 else ""
    return f"{errors} of the {most} codewords that can be corrected{blocks} {'is' if errors == 1 else 'are'} used up"


def _notes(photo: PhotoGrade) -> Iterator[str]:
    """Yield what does not count against the print."""
    if cut := [side for reach, side in zip(photo.quiet, SIDES, strict=True) if reach is None]:
        yield f"The photo cuts off the {_listed(cut)} of the quiet zone, so nothing is said about it there."
    yield (
        f"The photo itself ({photo.pixels:.0f} pixels a module; its darkest part gets {photo.light:.0%} of the light "
        "of its brightest) does not count against the print."
    )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
