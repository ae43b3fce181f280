"""Manages a design that a user edits, with undo and redo, and describes it for the browser: `Draft`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from qrkit.design.design import Design
from qrkit.drawing.frames.framing import framed
from qrkit.drawing.layout import Layout, flip_matrix, into_placeholder, lay_out
from qrkit.drawing.resizing import followed
from qrkit.drawing.scene import Matrix
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.languages import say
from qrkit.model import plain
from qrkit.notebook.widgets.controls import label_at
from qrkit.notebook.widgets.defaults import start
from qrkit.notebook.widgets.studio.companions import with_companions
from qrkit.notebook.widgets.upright_layers import design_of, fields_of, layers_of
from qrkit.pictures.image import QRImage

Picture: TypeAlias = dict[str, str | bytes]
"""The image as text, `svg`, or as bytes, `png`."""

LONGEST_SVG = 100_000
"""Maximum characters of an SVG that is sent with every step of a slider; a larger image is sent as PNG."""

Path: TypeAlias = tuple[str | int, ...]
Do: TypeAlias = Literal["set", "start", "remove", "move"]

MOST_STEPS = 200
"""Maximum number of steps that can be undone."""
LONGEST_PATH = 12
LONGEST_VALUE = 40_000
"""Maximum characters of a string that is sent to the browser; a content can have 32,767."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change by a user.

    Attributes:
        path: Interface names and indexes that lead to a field: `("layers", 0, "x")`.
        do: `set` assigns `value`, where None removes an optional field; `start` switches an optional field on, or adds
            a list item, with a value that suits the image; `remove` removes a list item, and `move` moves it to the
            index `value`.
        value: A JSON value; for `start`, the kind of fill: `color` or `gradient`.
    """

    path: Path
    do: Do = "set"
    value: Any = None

    @classmethod
    def parse(cls, message: Any) -> Edit:
        """Parse an edit sent by a browser."""
        path = message.get("path") if isinstance(message, dict) else None
        steps: list[Any] = path if isinstance(path, list) and 1 <= len(path) <= LONGEST_PATH else [None]
        # Not isinstance, because True is an int.
        if not all(type(step) in (str, int) for step in steps) or message.get("do", "set") not in get_args(Do):
            raise InvalidParameter(
                Problem("edit", message, "must have a path and one of these actions: " + ", ".join(get_args(Do)))
            )
        return cls(tuple(steps), message.get("do", "set"), message.get("value"))


class Draft:
    """A design with its image and its history.

    Attributes:
        picture: The image as it is sent to a browser.
        fetch: Downloads images that a design references by URL; without it, none are downloaded. It can be changed.
    """

    def __init__(self, design: Design, *, fetch: Fetch | None = None) -> None:
        self.fetch = fetch
        self.image, self.picture = self._draw(design)
        self._past: list[Design] = []
        self._future: list[Design] = []
        self._gesture: Any = None

    @property
    def design(self) -> Design:
        """The current design."""
        return self.image.design

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self._future)

    def take(self, design: Design, gesture: Any = None) -> None:
        """Switch to another design. If it cannot be drawn, nothing changes.

        A gesture is a continuous movement, whose changes are undone in one step. None is a step of its own.
        """
        if design == self.design:
            return
        drawn = self._draw(design)
        if gesture is None or gesture != self._gesture:
            self._past = [*self._past, self.design][-MOST_STEPS:]
        self._future, self._gesture = [], gesture
        self.image, self.picture = drawn

    def edit(self, *edits: Edit, gesture: Any = None) -> None:
        """Change fields as a user does, in order, all or none of them.

        Dependent fields change along, and coordinates in pixels follow if the symbol becomes larger or smaller.
        """
        self.take(self.edited(*edits), gesture)

    def try_out(self, *edits: Edit) -> None:
        """Raise the error that `edit` would raise, without any change."""
        self._draw(self.edited(*edits))

    def edited(self, *edits: Edit) -> Design:
        """Return the design that `edit` would make."""
        fields = fields_of(self.design)
        for change in edits:
            self._apply(fields, change)
            with_companions(fields, change.path, self.image)
        design = design_of(fields)
        is_fixed = any(change.path[0] in ("layers", "wrapper") for change in edits)
        return design if is_fixed else followed(self.design, design)

    def undo(self) -> None:
        """Undo the last step, if there is one."""
        self._step(self._past, self._future)

    def redo(self) -> None:
        """Redo the last undone step, if there is one."""
        self._step(self._future, self._past)

    def _step(self, source: list[Design], others: list[Design]) -> None:
        if source:
            drawn = self._draw(source[-1])
            others.append(self.design)
            source.pop()
            (self.image, self.picture), self._gesture = drawn, None

    def retract(self, gesture: Any) -> None:
        """Undo the last step if it belongs to a gesture, such as typing into one field or dragging a layer."""
        if gesture is not None and gesture == self._gesture:
            self.undo()
            self._future.clear()

    def _draw(self, design: Design) -> tuple[QRImage, Picture]:
        """Draw a design, which raises if anything is wrong with it."""
        image = QRImage(design, fetch=self.fetch)
        return image, picture_of(image)

    def _apply(self, fields: dict[str, Any], edit: Edit) -> None:
        *way, last = edit.path
        inside = _at(fields, way)
        value = edit.value
        if edit.do == "start":
            branch = value if isinstance(value, str) else ""
            value = plain(start(edit.path, self.image, branch), only_set=True)
            if edit.path[-1] in ("layers", "sprites", "stops"):
                value = [*(inside.get(last) or []), value]
        if edit.do in ("set", "start"):
            _put(inside, last, value, edit.path)
            return
        if not isinstance(inside, list) or not isinstance(last, int) or not 0 <= last < len(inside):
            raise _unknown(edit.path)
        entry = inside.pop(last)
        if edit.do == "move":
            inside.insert(value if isinstance(value, int) and 0 <= value <= len(inside) else last, entry)


def messages(error: QrkitError, edits: Sequence[Edit]) -> dict[str, str]:
    """Return messages by the path of the field to show them at.

    If another field's rule is broken, the message appears there and at the edited field.
    """
    touched = [".".join(map(str, edit.path)) for edit in edits]
    if not isinstance(error, InvalidParameter):
        return dict.fromkeys(touched, str(error))
    rules = {problem.name: problem.rule for problem in error.problems}
    if not any(name == path or name.startswith(f"{path}.") for name in rules for path in touched):
        rules |= dict.fromkeys(touched, "; ".join(f"{label_at(name)}: {rule}" for name, rule in rules.items()))
    return rules


# ---- the image for the browser


def picture_of(image: QRImage) -> Picture:
    """Draw an image for the browser."""
    svg = image.small_svg()
    return {"svg": svg} if len(svg) <= LONGEST_SVG else {"png": image.to_bytes("png", compression=1)}


def shown(draft: Draft) -> dict[str, Any]:
    """Return the state as JSON; the image is bytes if it is a PNG."""
    image = draft.image
    layout = lay_out(image.design, image.symbol, exact=True)
    return {
        "values": _short(image.design.model_dump(mode="json") | {"layers": layers_of(image.design)}),
        "picture": draft.picture,
        "size": [image.width, image.height],
        "label": f"{_symbol_words(image)}, {image.width} x {image.height} px",
        "area": [layout.width, layout.height],
        "matrix": list(_matrix(image, layout)),
        "words": _words(image, layout),
        "undo": draft.can_undo,
        "redo": draft.can_redo,
    }


def _at(fields: dict[str, Any], way: Sequence[str | int]) -> Any:
    """Return the value at a path, creating missing records on the way."""
    here: Any = fields
    for step in way:
        if isinstance(here, dict) and isinstance(step, str):
            if here.get(step) is None:
                here[step] = {}
            here = here[step]
        elif isinstance(here, list) and isinstance(step, int) and 0 <= step < len(here):
            here = here[step]
        else:
            raise _unknown(way)
    return here


def _put(inside: Any, last: str | int, value: Any, path: Path) -> None:
    if isinstance(inside, dict) and isinstance(last, str):
        if value is None:
            inside.pop(last, None)
        else:
            inside[last] = value
    elif isinstance(inside, list) and isinstance(last, int) and 0 <= last < len(inside):
        inside[last] = value
    else:
        raise _unknown(path)


def _unknown(path: Sequence[str | int]) -> InvalidParameter:
    return InvalidParameter(
        Problem(".".join(map(str, path)), None, "does not exist in this design", "unknown-parameter")
    )


def _symbol_words(image: QRImage) -> str:
    symbol = image.symbol
    is_micro = image.design.micro
    words = say("Version {version}, level {level}", version=symbol.version, level=symbol.error_correction)
    return f"Micro {symbol.name}" if is_micro else words


def _short(value: Any) -> Any:
    """Shorten embedded images and long strings: the browser sends only changes, so it does not need them."""
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_short(one) for one in value]
    if isinstance(value, str) and (len(value) > LONGEST_VALUE or (value.startswith("data:") and len(value) > 100)):
        return f"{value[: value.find(',') + 1][:60]}… ({len(value):,} characters)"
    return value


def _matrix(image: QRImage, layout: Layout) -> Matrix:
    """Return the transformation from layer coordinates to pixels of the whole image, with flip, wrapper or frame."""
    flipped = flip_matrix(layout, image.design.flip)
    design, around = image.design, image.design.wrapper
    hole = framed(design, design.frame, layout).placeholder if design.frame else around and around.placeholder
    return flipped.then(into_placeholder(layout, hole, exact=True)) if hole else flipped


def _words(image: QRImage, layout: Layout) -> list[dict[str, Any]]:
    """Return the texts of the frame by their field, and where they are in pixels of the whole image."""
    frame = image.design.frame
    if frame is None or frame.words is None:
        return []
    boxes = framed(image.design, frame, layout).words
    return [{"field": field, "text": getattr(frame.words, field), "box": list(box)} for field, box in boxes]
