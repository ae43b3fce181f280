"""Provides `Designer`: the studio, a widget to design a QR Code by hand.

Its script consists of `stage.js`, `form.js`, `color_form.js`, `content_form.js`, `logo_form.js`, `gallery.js`,
`output_form.js`, `badge.js` and `designer.js`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from traitlets import Dict, Instance, observe, validate

from qrkit.contents.cards import summary
from qrkit.design.design import Design
from qrkit.design.presets import PRESETS
from qrkit.design.shapes.icons import icon, icon_names
from qrkit.design.source import python_source
from qrkit.drawing.svg_elements import path_data
from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.exchange.columns import name_from
from qrkit.files import safe_name
from qrkit.notebook.views.html import page_text
from qrkit.notebook.widgets.badge import Badge, badge_of, no_badge
from qrkit.notebook.widgets.color_contrast import color_contrasts
from qrkit.notebook.widgets.content_form import FORM, ContentForm, kind_forms
from qrkit.notebook.widgets.controls import groups
from qrkit.notebook.widgets.draft import Draft, Edit, messages
from qrkit.notebook.widgets.draft_state import shown
from qrkit.notebook.widgets.logo_form import LOGO, LogoForm, logo_controls
from qrkit.notebook.widgets.looks import look_controls, thumbnail, with_look
from qrkit.notebook.widgets.refusals import Refusals
from qrkit.notebook.widgets.static_image import Pictures
from qrkit.notebook.widgets.swatches import swatch_groups
from qrkit.notebook.widgets.thumbnails import thumbnails
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.pictures.image import NOTEBOOK_COMPRESSION, QRImage

if TYPE_CHECKING:
    from qrkit.design.brand import Brand
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.pictures.printing import QRPrint
    from qrkit.portfolio.templates import Templates
    from qrkit.scanning.scan_report import ScanReport

__all__ = ["Designer"]

DOWNLOADS = ("svg", "png", "pdf", "eps")
DPI = 300
MOST_EDITS = 50
"""Maximum edits in one message."""
MOST_LOOKS = 4
"""Maximum thumbnails of presets in one message."""
MOST_ICONS = 24
"""Maximum icons that a search shows."""


FIELDS = frozenset(str(field.alias) for field in Design.model_fields.values())
"""Interface names of the fields of a design."""


class Designer(Page):
    """A studio for one design. In a notebook, the last line of a cell displays it.

    Running a cell again shows the same studio with everything done in it. If the first argument has changed, it
    replaces the design as a step that can be undone.

    Args:
        design: The initial design: a `Design`, or the text to encode.
        name: Name of the studio: a notebook has one studio per name. A second studio needs a name of its own.
        brand: The brand whose colors the studio offers, `shop.brands.current`.
        templates: Where designs are saved and loaded by name, `shop.templates`.
        fetch: Downloads images that a design references by URL; without it, none are downloaded.

    Attributes:
        design: The current design. You can set it and observe it: `studio.observe(print, "design")`.

    Raises:
        QrkitError: If the design cannot be drawn.
    """

    _esm = script(
        "stage", "form", "color_form", "content_form", "logo_form", "gallery", "output_form", "badge", "designer"
    )
    _css = style("designer")
    design = Instance(Design)
    form = Dict().tag(sync=True)

    def __init__(
        self,
        design: Design | str = "https://example.com",
        /,
        *,
        name: str = "designer",
        brand: Brand | None = None,
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
        self._form = ContentForm(begun.content)
        self._logo = LogoForm(begun)
        self._refused = Refusals()
        self._badge: Badge | None = None
        self._report: ScanReport | None = None
        self._note = ""
        self._register(name, design=begun, form=_form(brand))

    def _show_again(self, begun: Design, fetch: Fetch | None) -> None:
        self._draft.fetch = fetch
        with self._one_answer():
            if begun != self._begun:
                self.design = self._begun = begun

    # ---- Use from Python

    @property
    def image(self) -> QRImage:
        """The image of the design."""
        return self._draft.image

    def undo(self) -> None:
        """Undo the last step, if there is one."""
        self._change(self._draft.undo)

    def redo(self) -> None:
        """Redo the last undone step, if there is one."""
        self._change(self._draft.redo)

    def edit(self, *edits: Edit, gesture: Any = None) -> None:
        """Change fields as a user does. Edits that are not possible are reported in `errors` and change nothing.

        Args:
            edits: All of them are applied, or none.
            gesture: Identifies a continuous movement, whose changes are undone in one step.
        """
        self._change(lambda: self._apply(edits, gesture), edits)

    def _apply(self, edits: Sequence[Edit], gesture: Any) -> None:
        """Apply edits of fields, of the form of the content, or of the logo."""
        of_logo = {str(edit.path[-1]): edit.value for edit in edits if edit.path[0] == LOGO}
        if of_logo:
            self._draft.take(self._logo.change(self.design, of_logo, self._draft.fetch), gesture)
            return
        of_form = {edit.path: edit.value for edit in edits if edit.path[0] == FORM}
        others = [edit for edit in edits if edit.path not in of_form]
        content = self._form.change({str(path[-1]): value for path, value in of_form.items()}) if of_form else None
        self._draft.edit(*others, *([Edit(("content",), value=content)] if content else []), gesture=gesture)

    @validate("design")
    def _design_can_be_drawn(self, proposal: Any) -> Design:
        if proposal["value"] is not self._draft.design:
            self._refused.forget(())
        self._draft.take(proposal["value"])
        return self._draft.design

    @observe("design")
    def _design_changed(self, _change: Any) -> None:
        with self._one_answer():
            self._errors, self._badge, self._report, self._note = {}, None, None, ""

    def _change(self, change: Callable[[], None], edits: Sequence[Edit] = ()) -> None:
        """Perform a user action, and report its errors."""
        errors: dict[str, str] = {}
        self._refused.forget(edits)
        try:
            change()
        except QrkitError as error:
            if edits and all(edit.do == "set" and edit.path[0] in FIELDS for edit in edits):
                self._refused.add(edits, error, self._draft)
            else:
                errors = messages(error, edits) or {"": str(error)}
        else:
            self._refused.retry(self._draft)
        errors = self._refused.errors | errors
        with self._one_answer():
            if self.design is not self._draft.design:
                self.design = self._draft.design
            self._errors = errors

    # ---- Messages from and to the browser

    def _browser_state(self) -> dict[str, Any]:
        self._form.follow(self._draft.design.content)
        self._logo.follow(self._draft.design)
        return {
            **shown(self._draft),
            "form": self._form.as_dict(),
            "logo": self._logo.as_dict(),
            "badge": self._badge,
            "note": self._note,
            "refused": self._refused.as_dict(),
            "contrasts": color_contrasts(self._draft.design),
            "templates": None if self.templates is None else self.templates.names(),
        }

    def _on_edit(self, message: dict[str, Any]) -> None:
        edits = [Edit.parse(one) for one in list(message.get("edits", ()))[:MOST_EDITS]]
        self.edit(*edits, gesture=message.get("gesture"))

    def _on_undo(self, _message: Any) -> None:
        self.undo()

    def _on_redo(self, _message: Any) -> None:
        self.redo()

    def _on_preset(self, message: dict[str, Any]) -> None:
        name, colorway = str(message.get("name")), message.get("colorway")
        self._change(
            lambda: self._draft.take(with_look(self.design, name, None if colorway is None else str(colorway)))
        )

    def _on_looks(self, message: dict[str, Any]) -> None:
        """Draw thumbnails of some presets; one that cannot be drawn with this content gets none."""
        asked = message.get("names")
        names = [name for name in PRESETS if name in asked][:MOST_LOOKS] if isinstance(asked, list) else []
        pictures: dict[str, bytes] = {}
        for name in names:
            with suppress(QrkitError):
                pictures[name] = thumbnail(self.design, name)
        answer = {"answer": "looks", "view": message.get("view"), "names": list(pictures)}
        self.send(answer, buffers=list(pictures.values()))

    def _on_check(self, _message: Any) -> None:
        """Check the image, and update the static image, once the user pauses."""
        try:
            self._report = self.image.scan
            self._badge = badge_of(self._report)
        except QrkitError as error:
            self._badge = no_badge(error)
        self._logo.measure(self.design, self._draft.fetch)
        self._twin.update(self._pictures())

    def _on_fix(self, message: dict[str, Any]) -> None:
        """Fix an issue of the badge."""
        report, number = self._report, message.get("issue")
        if report is None or not isinstance(number, int) or not 0 <= number < len(report.issues):
            return
        issue = report.issues[number]
        if issue.fix:
            self._change(lambda: self._draft.take(report.fixed(issue)))

    def _on_repair(self, _message: Any) -> None:
        """Make the design scannable with as few changes as possible, and list them."""
        repair = self.design.make_scannable(fetch=self._draft.fetch)
        self._change(lambda: self._draft.take(repair.design))
        self._note = "; ".join(change.message for change in repair.changes)

    def _on_save(self, message: dict[str, Any]) -> None:
        def save() -> None:
            if self.templates is not None:
                self.templates.save(str(message.get("name", "")), self.design)

        self._change(save, [Edit(("templates",))])

    def _on_load(self, message: dict[str, Any]) -> None:
        def load() -> None:
            if self.templates is not None:
                self._draft.take(self.templates.design(str(message.get("name", "")), self.design.content))

        self._change(load, [Edit(("templates",))])

    def _on_open(self, message: dict[str, Any]) -> None:
        """Load a design from a file."""
        self._change(lambda: self._draft.take(Design.from_json(str(message.get("text", "")))), [Edit(("file",))])

    def _on_download(self, message: dict[str, Any]) -> None:
        """Send a file: in pixels, or for print if the message has a width in millimeters."""
        name, width = message.get("format"), message.get("mm")
        if name not in DOWNLOADS:
            raise InvalidParameter(Problem("format", name, f"must be one of {', '.join(DOWNLOADS)}"))
        picture: QRImage | QRPrint = self.image
        if width is not None:
            picture = QRImage(self.design, fetch=self._draft.fetch).print_at(width, dpi=message.get("dpi", DPI))
        file = safe_name(str(message.get("name") or name_from(self.design.content)), name)
        answer = {"answer": "file", "view": message.get("view"), "name": file, "type": FORMATS[name].media_type}
        self.send(answer | {"to": message.get("to")}, buffers=[picture.to_bytes(name)])

    def _on_copy(self, message: dict[str, Any]) -> None:
        text = self.design.to_json(indent=2) if message.get("form") == "json" else python_source(self.design)
        self.send({"answer": "text", "view": message.get("view"), "to": message.get("to"), "text": text})

    def _on_icons(self, message: dict[str, Any]) -> None:
        words = str(message.get("words", "")).lower().split()[:5]
        names = [name for name in icon_names() if all(word in name for word in words)]
        names.sort(key=lambda name: (len(name), name))
        icons = {name: path_data(icon(name)) for name in names[:MOST_ICONS]}
        self.send({"answer": "icons", "view": message.get("view"), "icons": icons})

    # ---- Display

    def __repr__(self) -> str:
        return f"<Designer {self.name!r}: {self.image!r}>"

    def _pictures(self) -> Pictures:
        image = self.image
        png = image.to_bytes("png", compression=NOTEBOOK_COMPRESSION)
        source = f"data:image/png;base64,{b64encode(png).decode()}"
        picture = f'<img src="{source}" alt="{page_text(f"QR Code: {summary(image.design.content)}")}">'
        svg = self._draft.picture.get("svg") or image.small_svg()
        return {"text/plain": repr(image), "text/html": picture, "image/svg+xml": svg, "image/png": png}


Designer.handlers = {
    "edit": Designer._on_edit,
    "undo": Designer._on_undo,
    "redo": Designer._on_redo,
    "preset": Designer._on_preset,
    "looks": Designer._on_looks,
    "check": Designer._on_check,
    "fix": Designer._on_fix,
    "repair": Designer._on_repair,
    "save": Designer._on_save,
    "load": Designer._on_load,
    "open": Designer._on_open,
    "download": Designer._on_download,
    "copy": Designer._on_copy,
    "icons": Designer._on_icons,
}


def _form(brand: Brand | None) -> dict[str, Any]:
    """Return what the browser builds the form from: controls by group, thumbnails of choices, names of presets."""
    return {
        "kinds": kind_forms(),
        "logo": logo_controls(),
        "groups": [[name, [control.as_dict() for control in members]] for name, members in groups().items()],
        "thumbnails": thumbnails(),
        "presets": look_controls(),
        "downloads": DOWNLOADS,
        "swatches": swatch_groups(brand),
    }
