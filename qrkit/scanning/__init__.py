"""Checks whether a design or an image scans, and how much margin it has.

    >>> from qrkit import Design, check
    >>> report = check(Design(content="https://example.com", padding=0), level="static")
    >>> print(report)
    fragile on phones (simulated), score 50 of 100 (static check)
      error: the quiet zone is 0.0 modules wide; scanners need 2, the standard requires 4
    >>> check(report.fixed(report.issues[0]), level="static").verdict
    'robust'

A design is drawn and measured. Each step has its own file:

    sampling    the lightness of each module
    budget      wrong codewords, compared with what their blocks can correct
    structure   what readers need before error correction: module weight, quiet zone, contrast
    eye_shapes  the same of eyes, and what else looks like one
    conditions  simulated captures: small, blurred, tilted, dim
    readers     the engines: those that stand for phones, and those that look for contours
    panel       which engine reads the code in which condition
    grade       the print grade, based on ISO/IEC 15415
    issues      the problems found, each with a fix
    verdict     one word and one number

`picture_check` handles images, and `photographs` those of prints. `arithmetic` handles designs that need no drawing.
`repair` finds the smallest change that makes a design scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, Problem, one_of
from qrkit.late import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qrkit.design.design import Design
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.scanning.readers import Engine
    from qrkit.scanning.scan_report import Audience, Level, ScanReport
    from qrkit.symbol.decode import Readable

__all__ = ["audience_named", "check", "level_named"]


def check(
    subject: Design | Readable,
    /,
    level: str = "standard",
    *,
    audience: str = "phones",
    design: Design | None = None,
    fetch: Fetch | None = None,
    engines: Sequence[Engine] | None = None,
) -> ScanReport:
    """Check whether a design, or an image of a QR Code, scans.

    A photo of a print gets an answer of its own, `ScanReport.photo`: it says whether the print is good, weak or bad,
    apart from the light, the angle and the blur of the photo. Readers and levels make no difference to it.

    Args:
        subject: A design; or an image in any form that `qrkit.decode` takes, such as the path of a file.
        level: `static` measures error correction, eyes, quiet zone and contrast without a reader; `quick` tests
            readers in 6 conditions, `standard` in 12 with three frames each, and `full` in all, up to the breaking
            point. `static` and `quick` are strict about contrast; the others leave to readers what it costs.
        audience: Whose readers must read it: those of `phones`, or `all`, which adds embedded readers, such as checkout
            scanners and factory readers. They look for contours and need square eyes, and are tested in 19 more
            conditions.
        design: What was meant to be printed, if `subject` is a photo of it: what differs from it is damage, but not its
            logo.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.
        engines: The readers to use; by default those of the audience or, at level `full`, all that are installed.

    Raises:
        InvalidParameter: If `level` or `audience` is not one of these names, the photo shows another code than
            `design`, or the code is a Micro QR Code, which most phones cannot read.
        UnreadableFile: If the image cannot be read, or is an SVG that a browser may draw in another way.
        NoSymbol: If no QR Code was found in the image.
        RenderingFailed: If the renderer fails on a part of the design, or takes too long.

    Example:
        >>> from qrkit import Design
        >>> Design(content="https://example.com", padding=0).check("static").verdict
        'fragile'
    """
    chosen, readers = level_named(level), audience_named(audience)
    if design is not None or isinstance(subject, Shown):
        from qrkit.design.design import Design  # takes as long as the check of a picture, which does without it

        if design is not None:
            if isinstance(subject, Design) or not isinstance(design, Design):
                rule = "must be a Design, the one that the photo shows; the subject must be the photo"
                raise InvalidParameter(Problem("design", None, rule, "bad-value"))
            from qrkit.scanning.photographs.print_check import check_print

            return check_print(subject, design, chosen, audience=readers, fetch=fetch)
        if isinstance(subject, Design):
            from qrkit.scanning.examine import drawn, examine

            return examine(drawn(subject, fetch), chosen, engines, audience=readers)
    from qrkit.scanning.picture_check import check_picture

    return check_picture(subject, chosen, engines, audience=readers)


def level_named(level: str) -> Level:
    """Return the level with this name."""
    from qrkit.scanning.scan_report import LEVELS

    return one_of("level", level, LEVELS)


def audience_named(audience: str) -> Audience:
    """Return the audience with this name."""
    from qrkit.scanning.scan_report import AUDIENCES

    return one_of("audience", audience, AUDIENCES)
