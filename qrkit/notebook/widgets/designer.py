"""`Designer`: the studio, a widget with which a person designs a QR Code by hand.

Its script is `stage.js`, `form.js`, `badge.js` and `designer.js`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from traitlets import Dict, Instance, observe, validate

from qrkit.contents.cards import summary
from qrkit.design.design import Design
from qrkit.design.presets import PRESETS, with_preset
from qrkit.design.shapes.icons import icon, icon_names
from qrkit.design.source import python_source
from qrkit.drawing.svg_elements import path_data
from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.exchange.columns import name_from
from qrkit.files import safe_name
from qrkit.notebook.views.html import page_text
from qrkit.notebook.widgets.badge import Badge, badge_of, no_badge
from qrkit.notebook.widgets.controls import groups
from qrkit.notebook.widgets.draft import Draft, Edit, messages
from qrkit.notebook.widgets.draft_state import shown
from qrkit.notebook.widgets.thumbnails import thumbnails
from qrkit.notebook.widgets.twin import Pictures
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.pictures.image import NOTEBOOK_COMPRESSION, QRImage

if TYPE_CHECKING:
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.portfolio.templates import Templates
    from qrkit.scanning.scan_report import ScanReport

__all__ = ["Designer"]

DOWNLOADS = ("svg", "png", "pdf", "eps")
MOST_EDITS = 50
"""In one message."""
MOST_ICONS = 24
"""That a search shows."""


class Designer(Page):
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

    _esm = script("stage", "form", "badge", "designer")
    _css = style("designer")
    design = Instance(Design)
    form = Dict().tag(sync=True)

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
        if self._is_open(name):
            self._show_again(begun, fetch)
            return
        self._begun = begun
        self._draft = Draft(begun, fetch=fetch)
        self._badge: Badge | None = None
        self._report: ScanReport | None = None
        self._note = ""
        self._opened(name, design=begun, form=_form())

    def _show_again(self, begun: Design, fetch: Fetch | None) -> None:
        self._draft.fetch = fetch
        with self._one_answer():
            if begun != self._begun:
                self.design = self._begun = begun

    # ---- from code

    @property
    def image(self) -> QRImage:
        """The picture of the design."""
        return self._draft.image

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

    @validate("design")
    def _design_can_be_drawn(self, proposal: Any) -> Design:
        self._draft.take(proposal["value"])
        return self._draft.design

    @observe("design")
    def _design_changed(self, _change: Any) -> None:
        with self._one_answer():
            self._errors, self._badge, self._report, self._note = {}, None, None, ""

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

    def _told(self) -> dict[str, Any]:
        return {
            **shown(self._draft),
            "badge": self._badge,
            "note": self._note,
            "templates": None if self.templates is None else self.templates.names(),
        }

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
        try:
            self._report = self.image.scan
            self._badge = badge_of(self._report)
        except QrkitError as error:
            self._badge = no_badge(error)
        self._twin.update(self._pictures())

    def _fixed(self, message: dict[str, Any]) -> None:
        """Mend what an issue of the badge says."""
        report, number = self._report, message.get("issue")
        if report is None or not isinstance(number, int) or not 0 <= number < len(report.issues):
            return
        issue = report.issues[number]
        if issue.fix:
            self._change(lambda: self._draft.take(report.fixed(issue)))

    def _repaired(self, _message: Any) -> None:
        """Change as little as is needed for it to scan, and say what."""
        repair = self.design.make_scannable(fetch=self._draft.fetch)
        self._change(lambda: self._draft.take(repair.design))
        self._note = "; ".join(change.message for change in repair.changes)

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

    def _read(self, message: dict[str, Any]) -> None:
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

    def _pictures(self) -> Pictures:
        image = self.image
        png = image.to_bytes("png", compression=NOTEBOOK_COMPRESSION)
        source = f"data:image/png;base64,{b64encode(png).decode()}"
        picture = f'<img src="{source}" alt="{page_text(f"QR Code: {summary(image.design.content)}")}">'
        return {"text/plain": repr(image), "text/html": picture, "image/svg+xml": image.small_svg(), "image/png": png}


Designer.handlers = {
    "edit": Designer._edited,
    "undo": Designer._undone,
    "redo": Designer._redone,
    "preset": Designer._preset,
    "check": Designer._checked,
    "fix": Designer._fixed,
    "repair": Designer._repaired,
    "save": Designer._saved,
    "load": Designer._loaded,
    "open": Designer._read,
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
