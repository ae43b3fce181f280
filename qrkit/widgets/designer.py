"""`Designer`: the studio, a widget with which a person designs a QR Code by hand.

All of it is one widget with a script of its own (`stage.js`, `form.js`, `designer.js`): plain ipywidgets would be some
hundred, whose keys JupyterLab takes for its shortcuts. The script draws what it is told and sends what hands do; every
rule is asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
from traitlets import Dict, Instance, Unicode, observe, validate

from qrkit.design import Design
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.exchange.columns import name_from
from qrkit.generate_request import safe_name
from qrkit.image import QRImage
from qrkit.markup import path_data
from qrkit.presets import PRESETS, with_preset
from qrkit.shapes.icons import icon, icon_names
from qrkit.source import python_source
from qrkit.widgets.badge import Badge, judged
from qrkit.widgets.controls import groups
from qrkit.widgets.draft import Draft, Edit, messages
from qrkit.widgets.shown import shown
from qrkit.widgets.thumbnails import thumbnails
from qrkit.widgets.twin import Twin
from qrkit.writers import FORMATS

if TYPE_CHECKING:
    from qrkit.assets import Fetch
    from qrkit.templates import Templates

__all__ = ["Designer"]

HERE = Path(__file__).parent
SCRIPT = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("stage.js", "form.js", "designer.js"))
STYLE = (HERE / "designer.css").read_text(encoding="utf-8")

DOWNLOADS = ("svg", "png", "pdf", "eps")
MOST_EDITS = 50
"""In one message."""
MOST_ICONS = 24
"""That a search shows."""


class Designer(anywidget.AnyWidget):
    """A studio for one design. In a notebook the last line of a cell shows it.

    A cell that is run again shows the same studio, with what was done in it; a new first argument is taken as a step
    that can be undone.

    Args:
        design: What to begin with: a `Design`, or the text to encode.
        name: Of the studio: there is one of each name. A second studio in a notebook needs a name of its own.
        templates: Where designs are saved to and loaded from by name, `shop.templates`.
        fetch: What reads pictures that a design names by their URL; without it, none is read (ruling G20).

    Attributes:
        design: What is designed now. It can be set, and observed: `studio.observe(print, "design")`.

    Raises:
        QrkitError: The design cannot be drawn.
    """

    _open: ClassVar[dict[str, Designer]] = {}

    _esm = SCRIPT
    _css = STYLE
    design = Instance(Design)
    form = Dict().tag(sync=True)
    state = Dict().tag(sync=True)
    twin = Unicode().tag(sync=True)

    def __new__(cls, *_design: Design | str, name: str = "designer", **_options: Any) -> Designer:
        """Give the studio that has this name already."""
        found: Designer = cls._open.get(name) or super().__new__(cls)
        return found

    def __init__(
        self,
        design: Design | str = "https://example.com",
        /,
        *,
        name: str = "designer",
        templates: Templates | None = None,
        fetch: Fetch | None = None,
    ) -> None:
        begun = Design(content=design) if isinstance(design, str) else design
        self.templates = templates
        if name in self._open:
            self._show_again(begun)
            return
        self.name, self._begun = name, begun
        self._draft = Draft(begun, fetch=fetch)
        self._errors: dict[str, str] = {}
        self._badge: Badge | None = None
        self._answered = 0
        self._changing = 1
        self._twin = Twin()
        super().__init__(design=begun, form=_form(), state=self._state(), twin=self._twin.id)
        self._changing = 0
        self.on_msg(self._received)
        self._open[name] = self

    def _show_again(self, begun: Design) -> None:
        with self._one_answer():
            if begun != self._begun:
                self.design = self._begun = begun

    # ---- from code

    @property
    def image(self) -> QRImage:
        """The picture of the design."""
        return self._draft.image

    @property
    def errors(self) -> dict[str, str]:
        """What the last change by hand was refused for: path of a field, `layers.0.x`, to the rule."""
        return dict(self._errors)

    def undo(self) -> None:
        """Take the last step back, if there is one."""
        self._change(self._draft.undo)

    def redo(self) -> None:
        """Take back that a step was taken back, if one was."""
        self._change(self._draft.redo)

    def edit(self, *edits: Edit, gesture: Any = None) -> None:
        """Change fields as a hand does; what cannot be is in `errors`, and changes nothing.

        Args:
            edits: All of them are done, or none.
            gesture: What the changes of one movement have in common: together they are one step back.
        """
        self._change(lambda: self._draft.edit(*edits, gesture=gesture), edits)

    def close(self) -> None:
        """Take the studio off the page and out of memory."""
        self._open.pop(self.name, None)
        super().close()

    @validate("design")
    def _design_can_be_drawn(self, proposal: Any) -> Design:
        self._draft.take(proposal["value"])
        return self._draft.design

    @observe("design")
    def _design_changed(self, _change: Any) -> None:
        with self._one_answer():
            self._errors, self._badge = {}, None

    def _change(self, change: Callable[[], None], edits: Sequence[Edit] = ()) -> None:
        """Do what a hand asked for."""
        errors: dict[str, str] = {}
        try:
            change()
        except QrkitError as error:
            errors = messages(error, edits) or {"": str(error)}
        with self._one_answer():
            if self.design is not self._draft.design:
                self.design = self._draft.design
            self._errors = errors

    # ---- to and from the browser

    @contextmanager
    def _one_answer(self) -> Iterator[None]:
        """Tell the browser once of whatever changes inside."""
        self._changing += 1
        try:
            yield
        finally:
            self._changing -= 1
            if not self._changing:
                self.state = self._state()

    def _state(self) -> dict[str, Any]:
        return {
            **shown(self._draft),
            "errors": self._errors,
            "badge": self._badge,
            "templates": None if self.templates is None else self.templates.names(),
            # Counted up, or an answer that says the same as the last one would not be sent.
            "answered": self._answered,
        }

    def _received(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """Answer one message; the browser waits for that before it sends the next."""
        handler = _HANDLERS.get(message.get("ask") if isinstance(message, dict) else None)
        if handler is None:
            return
        with self._one_answer():
            self._answered += 1
            try:
                handler(self, message)
            except QrkitError as error:
                self._errors = {"": str(error)}

    def _edited(self, message: dict[str, Any]) -> None:
        edits = [Edit.parse(one) for one in list(message.get("edits", ()))[:MOST_EDITS]]
        self.edit(*edits, gesture=message.get("gesture"))

    def _undone(self, _message: Any) -> None:
        self.undo()

    def _redone(self, _message: Any) -> None:
        self.redo()

    def _preset(self, message: dict[str, Any]) -> None:
        self._change(lambda: self._draft.take(with_preset(self.design, str(message.get("name")))))

    def _checked(self, _message: Any) -> None:
        """Hands are at rest: there is time to look closer, and to keep the picture for pages without a kernel."""
        self._badge = judged(self.image)
        self._twin.update(self.image)

    def _fixed(self, message: dict[str, Any]) -> None:
        """Mend what an issue of the badge says."""
        issues = (self._badge or {}).get("issues", [])
        number = message.get("issue")
        fix = issues[number]["fix"] if isinstance(number, int) and 0 <= number < len(issues) else None
        if fix:
            self._change(lambda: self._draft.take(self.design.replace(**fix)))

    def _saved(self, message: dict[str, Any]) -> None:
        def save() -> None:
            if self.templates is not None:
                self.templates.save(str(message.get("name", "")), self.design)

        self._change(save, [Edit(("templates",))])

    def _loaded(self, message: dict[str, Any]) -> None:
        def load() -> None:
            if self.templates is not None:
                self._draft.take(self.templates.design(str(message.get("name", "")), self.design.content))

        self._change(load, [Edit(("templates",))])

    def _opened(self, message: dict[str, Any]) -> None:
        """Take a design out of a file."""
        self._change(lambda: self._draft.take(Design.from_json(str(message.get("text", "")))), [Edit(("file",))])

    def _downloaded(self, message: dict[str, Any]) -> None:
        name = message.get("format")
        if name not in DOWNLOADS:
            raise InvalidParameter(Problem("format", name, f"must be one of {', '.join(DOWNLOADS)}"))
        file = safe_name(name_from(self.design.content), name)
        answer = {"answer": "file", "view": message.get("view"), "name": file, "type": FORMATS[name].media_type}
        self.send(answer, buffers=[self.image.to_bytes(name)])

    def _copied(self, message: dict[str, Any]) -> None:
        text = self.design.to_json(indent=2) if message.get("form") == "json" else python_source(self.design)
        self.send({"answer": "text", "view": message.get("view"), "to": message.get("to"), "text": text})

    def _icons(self, message: dict[str, Any]) -> None:
        words = str(message.get("words", "")).lower().split()[:5]
        found = [name for name in icon_names() if all(word in name for word in words)]
        found.sort(key=lambda name: (len(name), name))
        icons = {name: path_data(icon(name)) for name in found[:MOST_ICONS]}
        self.send({"answer": "icons", "view": message.get("view"), "icons": icons})

    # ---- where it is shown

    def __repr__(self) -> str:
        return f"<Designer {self.name!r}: {self.image!r}>"

    def _repr_mimebundle_(self, **_asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        return bundle | self._twin.bundle(self.image) | {"text/plain": repr(self)}, metadata

    def _ipython_display_(self) -> None:
        """Show the widget, and after it its picture, which is hidden as long as the widget is alive."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        self._twin.display(bundle | {"text/plain": repr(self)}, metadata, self.image)


_HANDLERS: dict[Any, Callable[[Designer, dict[str, Any]], None]] = {
    "edit": Designer._edited,
    "undo": Designer._undone,
    "redo": Designer._redone,
    "preset": Designer._preset,
    "check": Designer._checked,
    "fix": Designer._fixed,
    "save": Designer._saved,
    "load": Designer._loaded,
    "open": Designer._opened,
    "download": Designer._downloaded,
    "copy": Designer._copied,
    "icons": Designer._icons,
}


def _form() -> dict[str, Any]:
    """What the browser builds the page of: controls by group, pictures of choices, names of presets."""
    return {
        "groups": [[name, [one.as_dict() for one in found]] for name, found in groups().items()],
        "thumbnails": thumbnails(),
        "presets": list(PRESETS),
        "downloads": DOWNLOADS,
    }
