"""Defines the options that decorate a QR Code: presets, logos, frames and captions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from qrkit.design.design import Design
from qrkit.design.frames import FRAME_KINDS, Caption, Frame, FrameKind
from qrkit.errors import InvalidParameter, Problem, collecting, nearest

__all__ = [
    "add_decoration", "captions_as_options", "check_decoration", "check_placeholders", "decorate", "is_decorated",
]  # fmt: skip

OPTIONS = ("preset", "colorway", "logo", "caption", "frame")
CAPTION = ("caption.text", "frame.caption.text")
"""Fields of frames and of designs that `--caption` sets."""
USUAL_FRAME: FrameKind = "bar"
"""Kind of the frame of a caption, if no other is given."""
PLACEHOLDER = re.compile(r"\{[^{}]+\}")


def add_decoration(look: argparse._ArgumentGroup) -> None:
    """Add the options that decorate, except `--preset`, which is one of the ways to begin."""
    look.add_argument("--colorway", metavar="NAME", help="colors of the preset (its first colorway)")
    look.add_argument("--logo", metavar="FILE", help="a picture for the middle, or icon:NAME; uses level H")
    look.add_argument(
        "--caption",
        metavar="TEXT",
        help=f"words on the frame (without --frame: that of the preset, or `{USUAL_FRAME}`)",
    )
    look.add_argument("--frame", metavar="KIND", help="kind of the frame, such as `bubble`, `card` or `ticket`")


def is_decorated(asked: argparse.Namespace) -> bool:
    """Return True if an option that decorates was given."""
    return any(getattr(asked, option) is not None for option in OPTIONS)


def check_decoration(asked: argparse.Namespace) -> list[Problem]:
    """Return the problems of unknown frames, and of options that cannot be combined."""
    problems = []
    if asked.colorway is not None and asked.preset is None:
        problems.append(Problem("colorway", asked.colorway, "needs --preset, whose colors it names"))
    if asked.frame is not None and asked.frame.lower() not in FRAME_KINDS:
        problems.append(Problem("frame", asked.frame, f"is not a frame; {nearest(asked.frame, FRAME_KINDS)}"))
    if asked.caption is not None:
        with collecting(problems), captions_as_options():
            Frame(USUAL_FRAME, caption=asked.caption)
    return problems


@contextmanager
def captions_as_options() -> Iterator[None]:
    """Name the text of a caption after its option in errors."""
    try:
        yield
    except InvalidParameter as error:
        if not any(problem.name in CAPTION for problem in error.problems):
            raise
        problems = (replace(one, name="caption" if one.name in CAPTION else one.name) for one in error.problems)
        raise InvalidParameter(*problems) from None


def decorate(design: Design, asked: argparse.Namespace, given: dict[str, Any]) -> Design:
    """Return a design with its preset, frame, caption and logo.

    Args:
        given: Fields that have options of their own, which win over the preset.
    """
    from qrkit.drawing.logo import placed_logo, without_logo

    logo = _content_of(asked.logo) if asked.logo is not None else None
    if asked.preset is not None:
        from qrkit.presets import with_preset

        design = with_preset(design, asked.preset, asked.colorway, logo=logo, caption=_caption(design.frame, asked))
        design = design.replace(**given) if given else design
    if asked.frame is not None or (asked.caption is not None and asked.preset is None):
        design = design.replace(frame=_frame(design.frame, asked))
    if logo and asked.preset is None:
        design = design if "ec" in given else design.replace(ec="H")
        before = placed_logo(design)
        design = without_logo(design, before) if before else design
        design = design.with_logo(logo, name=Path(asked.logo).stem)
    return design


def check_placeholders(caption: str | None, fields: Sequence[str]) -> list[Problem]:
    """Return the problem of a caption with a placeholder that nothing fills in.

    Args:
        caption: The text of `--caption`.
        fields: The names that may stand in braces.
    """
    allowed = [f"{{{field}}}" for field in fields]
    unknown = [found for found in PLACEHOLDER.findall(caption or "") if found not in allowed]
    if not unknown:
        return []
    rule = f"allowed in braces: {', '.join(allowed)}" if allowed else "the caption is the same on every picture"
    return [Problem("caption", caption, f"nothing fills in {unknown[0]}; {rule}")]


def _frame(frame: Frame | None, asked: argparse.Namespace) -> Frame:
    """Return the frame of a design with the kind and the words that were given."""
    kind = asked.frame or (frame.kind if frame else USUAL_FRAME)
    fields = {name: getattr(frame, name) for name in frame.model_fields_set} if frame else {}
    return Frame(**fields | {"kind": kind, "caption": _caption(frame, asked)})


def _caption(frame: Frame | None, asked: argparse.Namespace) -> Caption | None:
    """Return the caption of a frame with the text that was given; its font and colors stay."""
    caption = frame.caption if frame else None
    if asked.caption is None:
        return caption
    return caption.replace(text=asked.caption) if caption else Caption(asked.caption)


def _content_of(logo: str) -> str:
    """Return a logo as the content of a layer."""
    from qrkit.drawing.untrusted.assets import data_uri

    if logo.lower().startswith("icon:"):
        return logo
    if not Path(logo).is_file():
        raise InvalidParameter(Problem("logo", logo, "is neither a file nor icon:NAME"))
    return data_uri(logo)
