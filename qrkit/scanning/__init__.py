"""Will it scan, and with how much room to spare? Measured, not guessed.

    >>> from qrkit import Design, check
    >>> report = check(Design(content="https://example.com", padding=0), level="static")
    >>> print(report)
    fragile, score 50 of 100 (static check)
      error: 0.0 modules of quiet zone; readers need 2, the standard asks for 4
    >>> check(report.fixed(report.issues[0]), level="static").verdict
    'robust'

A design is drawn, and looked at in three ways, a file for each step:

    sampling    how light each module is drawn
    budget      which codewords that makes wrong, against what their blocks can correct
    structure   eyes, weight of modules, quiet zone, contrast: what readers need before they correct anything
    conditions  what cameras make of the picture: small, blurred, tilted, dim
    readers     the engines, at least one of each school
    panel       who reads what in which condition
    grade       the print grade in the manner of ISO/IEC 15415
    issues      what of all that is in the way, and the fix of each
    verdict     one word and one number

Where nothing needs to be drawn, `arithmetic` answers. `repair` searches the cheapest change that makes a design scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, Problem, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL.Image import Image

    from qrkit.design.design import Design
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.scanning.readers import Engine
    from qrkit.scanning.scan_report import Level, ScanReport

__all__ = ["check", "level_named"]


def check(
    subject: Design | bytes | str | Path | Image,
    /,
    level: str = "standard",
    *,
    fetch: Fetch | None = None,
    engines: Sequence[Engine] | None = None,
) -> ScanReport:
    """Whether a design, or a picture of a code, scans.

    Args:
        subject: A design; or a picture: a file's path, its bytes, or a Pillow image.
        level: `static` computes what error correction, eyes, quiet zone and contrast leave, without a reader; `quick`
            has readers look in 7 conditions, `standard` in 19, `full` in all, to the breaking point. From `standard`
            on, 8 captures at the limit of what a plain symbol bears refine the score.
        fetch: What reads pictures that the design names by their URL; without it, none is read.
        engines: Who reads; where nothing is said, the three of `qrkit.scanning.readers.STANDARD`, and all that
            are installed at level full.

    Raises:
        InvalidParameter: There is no such level.
        UnreadableFile: The picture is none.
        NoSymbol: No QR Code was found in it.
        RenderingFailed: The renderer broke down on a part of the design, or all parts together took too long.
    """
    chosen = level_named(level)
    from qrkit.design.design import Design

    if not isinstance(subject, Design):
        from qrkit.scanning.picture_check import check_picture

        return check_picture(subject, chosen, engines)
    from qrkit.scanning.examine import drawn, examine

    return examine(drawn(subject, fetch), chosen, engines)


def level_named(level: str) -> Level:
    """The level of that name.

    Raises:
        InvalidParameter: There is none.
    """
    from qrkit.scanning.scan_report import LEVELS

    for one in LEVELS:
        if one == level:
            return one
    raise InvalidParameter(Problem("level", level, nearest(str(level), LEVELS), "bad-value"))
