"""`Draft`: a design that somebody works on, with what was before it. Knows nothing of browsers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from qrkit.design.design import Design
from qrkit.drawing.resizing import followed
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.model import plain
from qrkit.notebook.widgets.companions import with_companions
from qrkit.notebook.widgets.defaults import start
from qrkit.pictures.image import QRImage

if TYPE_CHECKING:
    from qrkit.drawing.untrusted.assets import Fetch

__all__ = ["Draft", "Edit", "Path", "messages"]

Path: TypeAlias = tuple[str | int, ...]
Do: TypeAlias = Literal["set", "start", "remove", "move"]

MOST_STEPS = 200
"""That can be taken back."""
LONGEST_PATH = 12


@dataclass(frozen=True, slots=True)
class Edit:
    """One change by hand.

    Attributes:
        path: Names and numbers that lead to a field, in the interface's names: `("layers", 0, "x")`.
        do: `set` gives it `value`, where None takes an optional one away; `start` switches an optional field on, or
            adds to a list, with a value that suits the picture; `remove` takes an entry out of a list, and `move`
            brings it to the place `value`.
        value: As JSON has it; of `start`, which branch of a fill: `color` or `gradient`.
    """

    path: Path
    do: Do = "set"
    value: Any = None

    @classmethod
    def parse(cls, message: Any) -> Edit:
        """Read an edit that a browser sent.

        Raises:
            InvalidParameter: It is none.
        """
        path = message.get("path") if isinstance(message, dict) else None
        steps: list[Any] = path if isinstance(path, list) and 1 <= len(path) <= LONGEST_PATH else [None]
        # Not isinstance: True would be the number 1.
        if not all(type(step) in (str, int) for step in steps) or message.get("do", "set") not in get_args(Do):
            raise InvalidParameter(Problem("edit", message, "must have a path and one of " + ", ".join(get_args(Do))))
        return cls(tuple(steps), message.get("do", "set"), message.get("value"))


class Draft:
    """A design, its picture, and the way back.

    Args:
        design: To begin with.
        fetch: What reads pictures that a design names by their URL; without it, none is read (ruling G20).

    Attributes:
        image: The picture of the design.
        fetch: As of the argument; it can be set.

    Raises:
        QrkitError: The design cannot be drawn.
    """

    def __init__(self, design: Design, *, fetch: Fetch | None = None) -> None:
        self.fetch = fetch
        self.image = self._drawn(design)
        self._past: list[Design] = []
        self._future: list[Design] = []
        self._gesture: Any = None

    @property
    def design(self) -> Design:
        """What is drawn now."""
        return self.image.design

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back."""
        return bool(self._future)

    def take(self, design: Design, gesture: Any = None) -> None:
        """Go on with another design; if it cannot be drawn, nothing changes.

        Args:
            design: Takes the place of the one there is.
            gesture: What one movement of a hand has in common: its changes are one step back. None: a step of its own.

        Raises:
            QrkitError: It cannot be drawn.
        """
        if design == self.design:
            return
        image = self._drawn(design)
        if gesture is None or gesture != self._gesture:
            self._past = [*self._past, self.design][-MOST_STEPS:]
        self._future, self._gesture, self.image = [], gesture, image

    def edit(self, *edits: Edit, gesture: Any = None) -> None:
        """Change fields by hand, all or none of them.

        What goes with a field changes along; what lies in pixels follows a symbol that becomes larger or smaller.

        Args:
            edits: One after the other.
            gesture: As for `take`.

        Raises:
            QrkitError: The design would break a rule, or could not be drawn.
        """
        fields = plain(self.design, only_set=True)
        for one in edits:
            self._apply(fields, one)
            with_companions(fields, one.path, self.image)
        design = Design(**fields)
        if all(one.path[0] not in ("layers", "wrapper") for one in edits):
            design = followed(self.design, design)
        self.take(design, gesture)

    def undo(self) -> None:
        """Take the last step back, if there is one."""
        if self._past:
            image = self._drawn(self._past[-1])
            self._future.append(self.design)
            self._past.pop()
            self.image, self._gesture = image, None

    def redo(self) -> None:
        """Take back that a step was taken back, if one was."""
        if self._future:
            image = self._drawn(self._future[-1])
            self._past.append(self.design)
            self._future.pop()
            self.image, self._gesture = image, None

    def _drawn(self, design: Design) -> QRImage:
        """A picture that can be shown: whatever is wrong with it comes to light here."""
        image = QRImage(design, fetch=self.fetch)
        image.small_svg()
        return image

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
    """What to say beside which control: path of a field -> message.

    The rule may be another field's: then it is told there and beside the one that was touched.
    """
    touched = [".".join(map(str, edit.path)) for edit in edits]
    if not isinstance(error, InvalidParameter):
        return dict.fromkeys(touched, str(error))
    found = {problem.name: problem.rule for problem in error.problems}
    if not any(name == path or name.startswith(f"{path}.") for name in found for path in touched):
        found |= dict.fromkeys(touched, "; ".join(f"{name}: {rule}" for name, rule in found.items()))
    return found


def _at(fields: dict[str, Any], way: Sequence[str | int]) -> Any:
    """What a path leads to; records that say nothing yet are begun."""
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
    return InvalidParameter(Problem(".".join(map(str, path)), None, "is not there", "unknown-parameter"))
