"""Decorates a design with a preset, a logo, a caption and a frame, for `generate` and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.errors import InvalidParameter, Problem, collecting, nearest, raise_any, renaming
from qrkit.late import named

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.design.frames import Caption, Frame
    from qrkit.drawing.untrusted.assets import Fetch


PARTS = {"caption.text": "caption", "frame.caption.text": "caption", "share": "logo_size"}
"""What people who asked for a part call the field that it sets."""
BEGUN = ("content", "layers", "frame", "photo")
"""Fields of a design that a preset adds to, so that they need not win over it again."""


class Decoration(NamedTuple):
    """What `generate` and the command line decorate a design with.

    The logo is the path of a picture, its bytes, or the content of a layer, such as `icon:NAME`; `logo_size` is its
    longer side as a share of the symbol's side. `eye_color` is the color of the finder patterns.
    """

    preset: str | None = None
    colorway: str | None = None
    logo: str | Path | bytes | None = None
    caption: str | Caption | None = None
    frame: str | Frame | Mapping[str, Any] | None = None
    logo_size: float | None = None
    frame_color: str | None = None
    eye_color: str | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in self)

    def problems(self) -> list[Problem]:
        """Return the problems of unknown frames and invalid captions, and of parts that cannot be combined."""
        if not self:
            return []
        from qrkit.design.color import Color
        from qrkit.design.frames import FRAME_KINDS, USUAL_KIND, Caption, Frame

        given = {"preset": self.preset, "colorway": self.colorway}
        problems = [
            Problem(name, value, "must be a text") for name, value in given.items() if not isinstance(value, str | None)
        ]
        if not isinstance(self.logo, str | Path | bytes | None):
            problems.append(Problem("logo", self.logo, "must be a path, bytes, icon:NAME, a data URI or a URL"))
        if self.colorway is not None and self.preset is None:
            problems.append(Problem("colorway", self.colorway, "needs a preset, whose colors it names"))
        if self.logo_size is not None and self.logo is None:
            problems.append(Problem("logo_size", self.logo_size, "needs a logo"))
        for name, color in (("frame_color", self.frame_color), ("eye_color", self.eye_color)):
            try:
                Color.parse(color or "black")
            except ValueError as error:
                problems.append(Problem(name, color, str(error), "bad-colour"))
        if isinstance(self.frame, str) and self.frame.lower() not in FRAME_KINDS:
            problems.append(Problem("frame", self.frame, f"is not a frame; {nearest(self.frame, FRAME_KINDS)}"))
        if not isinstance(self.caption, str | Caption | Mapping | None):
            problems.append(Problem("caption", self.caption, "must be a text or a Caption"))
        elif self.caption is not None:
            with collecting(problems), parts_by_name():
                Frame(USUAL_KIND, caption=self.caption)
        return problems

    def on(self, design: Design, given: Mapping[str, Any], fetch: Fetch | None = None) -> Design:
        """Return a design with its preset, frame, caption and logo; `given` fields of the design win over the preset.

        A logo given by its URL is an error without `fetch`.
        """
        raise_any(self.problems())
        logo = None if self.logo is None else named("drawing.untrusted.assets:picture_content")(self.logo, "logo")
        if self.preset is not None:
            caption = self._caption(design.frame)
            with_preset = named("presets:with_preset")
            how: dict[str, Any] = {"logo": logo, "share": self.logo_size, "caption": caption, "fetch": fetch}
            design = with_preset(design, self.preset, self.colorway, **how)
            own = {name: value for name, value in given.items() if name not in BEGUN}
            design = design.replace(**own) if own else design
        if self.frame is not None or (self.caption is not None and self.preset is None):
            design = design.replace(frame=self._frame(design.frame))
        design = self._colored(design)
        if logo and self.preset is None:
            from qrkit.drawing.logo import placed_logo, without_logo

            design = design if "ec" in given else design.replace(ec="H")
            before = placed_logo(design)
            design = without_logo(design, before.layer) if before else design
            design = design.with_logo(logo, self.logo_size, name=self._logo_name(logo), fetch=fetch)
        return design

    def _colored(self, design: Design) -> Design:
        """Return a design whose frame and finder patterns have the colors that were given."""
        from qrkit.design.decoration import Marker, Markers

        if self.frame_color is not None:
            if not design.frame:
                rule = "needs a frame, a caption, or a preset with a frame"
                raise InvalidParameter(Problem("frame_color", self.frame_color, rule))
            design = design.replace(frame=design.frame.replace(color=self.frame_color))
        if self.eye_color is not None:
            eyes = {name: getattr(design.markers, name) or Marker("default") for name in Markers.model_fields}
            colors = {"outer_color": self.eye_color, "inner_color": self.eye_color}
            design = design.replace(markers={name: eye.replace(**colors) for name, eye in eyes.items()})
        return design

    def _logo_name(self, content: str) -> str:
        """Return the name of the logo's layer: that of its file or icon."""
        is_named = not isinstance(self.logo, bytes) and (content != self.logo or content.lower().startswith("icon:"))
        return Path(str(self.logo)).stem if is_named else ""

    def _frame(self, frame: Frame | None) -> Frame:
        """Return the frame of a design with the kind and the words that were given."""
        from qrkit.design.frames import USUAL_KIND, Frame

        if isinstance(self.frame, str | None):
            kind = self.frame or (frame.kind if frame else USUAL_KIND)
            frame = Frame(
                **({name: getattr(frame, name) for name in frame.model_fields_set} if frame else {}) | {"kind": kind}
            )
        else:
            frame = Frame.model_validate(self.frame)
        return frame.replace(caption=self._caption(frame))

    def _caption(self, frame: Frame | None) -> Caption | None:
        """Return the caption of a frame with the text that was given; its font and colors stay."""
        from qrkit.design.frames import Caption

        caption = frame.caption if frame else None
        if not isinstance(self.caption, str):
            return self.caption or caption
        return caption.replace(text=self.caption) if caption else Caption(self.caption)


def parts_by_name() -> AbstractContextManager[None]:
    """Call the fields of a design in errors as people do who asked for a part of its decoration, such as a caption."""
    return renaming(lambda name: PARTS.get(name, name))
