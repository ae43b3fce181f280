"""Provides `Designer`: the studio, a widget to design a QR Code by hand.

Its script consists of `stage.js`, `form.js`, `color_form.js`, `content_form.js`, `logo_form.js`, `saved_looks.js`,
`gallery.js`, `output_form.js`, `badge.js` and `designer.js`.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

from traitlets import Dict, Instance, observe, validate

from qrkit.contents.cards import file_stem, summary
from qrkit.design.decoration import Marker, Markers
from qrkit.design.design import Design
from qrkit.design.gradient import Gradient
from qrkit.design.limits import Within
from qrkit.design.shapes.icons import icon, icon_names
from qrkit.design.source import python_source
from qrkit.drawing.svg.svg_elements import path_data
from qrkit.drawing.untrusted.assets import Fetch, reduced_uri
from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter, Problem, QrkitError, raise_any
from qrkit.files import safe_name
from qrkit.languages import LanguageTag, translated
from qrkit.notebook.views.html import page_text
from qrkit.notebook.widgets.controls import groups, label_at
from qrkit.notebook.widgets.studio.badge import Badge, badge_of, no_badge
from qrkit.notebook.widgets.studio.content_form import FORM, ContentForm, kind_forms, label_of
from qrkit.notebook.widgets.studio.draft import Draft, Edit, messages, shown
from qrkit.notebook.widgets.studio.logo_form import LOGO, LogoForm, logo_controls
from qrkit.notebook.widgets.studio.refusals import Refusals
from qrkit.notebook.widgets.studio.saved_looks import SAVED, SHORT, SavedLooks
from qrkit.notebook.widgets.studio.set_form import SetForm, with_braces
from qrkit.notebook.widgets.studio.swatches import color_contrasts, in_two_colors, swatch_groups
from qrkit.notebook.widgets.studio.thumbnails import look_controls, thumbnail, thumbnails, with_look
from qrkit.notebook.widgets.widget import Page, Pictures, script, style
from qrkit.pictures.image import NOTEBOOK_COMPRESSION, QRImage
from qrkit.pictures.preflight import print_checks
from qrkit.pictures.printing import PrintSize
from qrkit.scanning.scan_report import Audience, ScanReport

if TYPE_CHECKING:
    from qrkit.design.brand import Brand
    from qrkit.portfolio.portfolio import Portfolio
    from qrkit.portfolio.templates import Templates


DOWNLOADS = ("svg", "png", "pdf", "eps")
DPI = 300
PURPOSES: dict[str, dict[str, Any]] = {
    "Web": {"format": "png"},
    "Office printer": {"format": "png", "mm": 40, "dpi": 300},
    "Print shop": {"format": "pdf", "mm": 40, "dpi": 300},
    "Labels and cards": {"format": "pdf", "isSheet": True},
    "App": {"format": "svg"},
}
"""What a download is for -> its format, whether it is a sheet, and its print size if it is printed as a picture; never
smaller than phones need."""
(PRINT_WIDTH,) = (
    (note.low, note.high) for note in PrintSize.model_fields["size_mm"].metadata if isinstance(note, Within)
)
"""Bounds of the width of a print in millimeters."""
MOST_EDITS = 50
"""Maximum edits in one message."""
MOST_LOOKS = 4
"""Maximum thumbnails of presets in one message."""
MOST_ICONS = 24
"""Maximum icons that a search shows."""
SYMBOLS = (
    "view-grid-outline", "pencil-outline", "palette-outline", "shape-outline", "image-outline", "card-outline",
    "format-text", "cog-outline",
)  # fmt: skip
"""Icons of the tabs, in order."""
OF_SAVED = Edit((SAVED,))
"""Where errors of saved looks are shown."""


FIELDS = frozenset(str(field.alias) for field in Design.model_fields.values()) | {FORM}
"""The first steps of the paths whose refused values stay: the fields of a design, and the form of its content."""


class Designer(Page):
    """A studio for one design. In a notebook, the last line of a cell displays it.

    Running a cell again shows the same studio with everything done in it. If the first argument has changed, it
    replaces the design as a step that can be undone.

    Args:
        design: The initial design: a `Design`, or the text to encode.
        name: Name of the studio: a notebook has one studio per name. A second studio needs a name of its own.
        brand: The brand whose colors the studio offers; by default the one that `portfolio` uses.
        templates: Where designs are saved and loaded by name, `shop.templates`.
        portfolio: Provides templates, brands and campaigns in place of `templates`.
        fetch: Downloads images that a design references by URL; without it, none are downloaded.
        language: Language of its words: en, de, fr, es or nl.

    Attributes:
        design: The current design. You can set it and observe it: `studio.observe(print, "design")`.

    Raises:
        QrkitError: If the design cannot be drawn.
    """

    _esm = script(
        "studio", "stage", "form", "color_form", "content_form", "logo_form", "saved_looks", "gallery", "output_form",
        "badge", "designer",
    )  # fmt: skip
    _css = style("studio", "designer", "qrkit-designer")
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
        portfolio: Portfolio | None = None,
        fetch: Fetch | None = None,
        language: LanguageTag = "en",
    ) -> None:
        begun = Design(content=design) if isinstance(design, str) else design
        self._saved = SavedLooks(templates, portfolio)
        if self._is_open(name):
            self._show_again(begun, fetch)
            return
        self._begun = begun
        self._draft = Draft(begun, fetch=fetch)
        self._form = self._form_before = ContentForm(begun.content)
        self._gesture: Any = None
        self._logo = LogoForm(begun)
        self._refused = Refusals()
        self._set = SetForm()
        self._badge: Badge | None = None
        self._audience: Audience = "phones"
        self._report: ScanReport | None = None
        self._note = ""
        self._is_kept = False
        self._size: PrintSize | None = None
        self._print_checks: list[dict[str, Any]] = []
        if brand is None and portfolio is not None:
            brand = portfolio.brands.current
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

    @property
    def errors(self) -> dict[str, str]:
        """The rules that refused values and the last user action break, by the path of the field."""
        return self._refused.errors | self._errors

    @property
    def settled(self) -> Design:
        """The design, when it is what the fields show: only such a design is downloaded, copied or saved.

        Raises:
            InvalidParameter: If a field shows a value that the design cannot have, or the content is not complete.
        """
        wrong = {self._label(path): rule for path, rule in self._refused.errors.items()}
        if self._form.missing:
            wrong["Content"] = self._form.missing
        problems = [Problem(name, None, f"{rule}; correct or undo it") for name, rule in wrong.items()]
        raise_any(problems)
        return self.design

    def _label(self, path: str) -> str:
        first, _, name = path.partition(".")
        return label_of(self._form.kind, name) if first == FORM else label_at(path)

    def undo(self) -> None:
        """Undo the last step, if there is one: refused values first, and then changes of the design."""
        self._change((lambda: None) if self._refused.errors else self._draft.undo)

    def redo(self) -> None:
        """Redo the last undone step, if there is one."""
        self._change(self._draft.redo)

    def edit(self, *edits: Edit, gesture: Any = None) -> None:
        """Change fields as a user does. Edits that are not possible are reported in `errors` and change nothing.

        Args:
            edits: All of them are applied, or none.
            gesture: Identifies a continuous movement, whose changes are undone in one step.
        """
        if gesture is None or gesture != self._gesture:
            self._gesture, self._form_before = gesture, copy(self._form)
        self._change(lambda: self._apply(edits, gesture), edits)

    def _apply(self, edits: Sequence[Edit], gesture: Any) -> None:
        """Apply edits of fields, of the form of the content, or of the logo."""
        # A design travels between browser and kernel with every change, so large pictures are reduced at once.
        edits = [replace(one, value=reduced_uri(one.value)) if isinstance(one.value, str) else one for one in edits]
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
            self._is_kept = False

    def _change(self, change: Callable[[], None], edits: Sequence[Edit] = ()) -> None:
        """Perform a user action, and report its errors."""
        errors: dict[str, str] = {}
        self._refused.forget(edits)
        with self._one_answer():
            try:
                change()
            except QrkitError as error:
                if edits and all(edit.do == "set" and edit.path[0] in FIELDS for edit in edits):
                    # Earlier keystrokes of the same gesture entered only a part of the value that is now refused.
                    self._draft.retract(self._gesture)
                    self._form = copy(self._form_before)
                    self._refused.add(edits, error, self._draft)
                else:
                    errors = messages(error, edits) or {"": str(error)}
            else:
                self._refused.retry(self._draft, lambda edits: self._apply(edits, None))
            if self.design is not self._draft.design:
                self.design = self._draft.design
            self._errors = errors

    # ---- Messages from and to the browser

    def _browser_state(self) -> dict[str, Any]:
        self._form.follow(self._draft.design.content)
        self._logo.follow(self._draft.design)
        return {
            **shown(self._draft),
            "undo": self._draft.can_undo or bool(self._refused.errors),
            "form": self._form.as_dict(),
            "logo": self._logo.as_dict(),
            "title": PurePath(safe_name(_file_stem(self.image), "svg")).stem,
            "badge": self._badge,
            "note": self._note,
            "kept": self._is_kept,
            "refused": self._refused.as_dict(),
            "contrasts": color_contrasts(self._draft.design),
            "print": self._print_checks,
            "saved": self._saved.as_dict(),
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

    def _on_two_colors(self, _message: Any) -> None:
        """Use foreground and background for eyes, frame, words, icons and the plate of a logo, too."""
        design, ink = in_two_colors(self.design), self.design.foreground
        color = ink.stops[0].color if isinstance(ink, Gradient) else ink
        self._change(lambda: self._draft.take(self._logo.with_ring(design, color, self._draft.fetch)))

    def _on_looks(self, message: dict[str, Any]) -> None:
        """Draw thumbnails of some presets and saved looks; one that cannot be drawn with this content gets none."""
        asked = message.get("looks")
        looks = [one for one in asked[:MOST_LOOKS] if isinstance(one, dict)] if isinstance(asked, list) else []
        pictures: list[tuple[dict[str, Any], bytes]] = []
        for one in looks:
            with suppress(QrkitError):
                look = self._look(str(one.get("kind")), str(one.get("name")), self.design.replace(wrapper=None))
                pictures.append((one, thumbnail(look)))
        answer = {"answer": "looks", "view": message.get("view"), "looks": [one for one, _ in pictures]}
        self.send(answer, buffers=[picture for _, picture in pictures])

    def _look(self, kind: str, name: str, design: Design) -> Design:
        """Return a design with a preset or a saved look."""
        if kind == "preset":
            return with_look(design, name)
        if kind == "eye":  # large, because the content is short
            marker = (design.markers.top_left or Marker("default")).replace(pattern=name) if name else None
            eyes = Markers(top_left=marker, top_right=marker, bottom_left=marker)
            return design.replace(content=SHORT, markers=eyes, padding=1, frame=None, layers=())
        if kind == "frame":
            return self._draft.edited(Edit(("frame", "kind"), value=name) if name else Edit(("frame",)))
        return self._saved.look(kind, name, design, self._logo.placed, self._draft.fetch)

    def _on_check(self, message: dict[str, Any]) -> None:
        """Check the image, once the user pauses: for phones, or for checkout scanners, too."""
        self._audience = "all" if message.get("scanners") else "phones"
        try:
            has_scanners = self._audience == "all"
            self._report = self.image.check("static", audience="all") if has_scanners else self.image.scan
            self._badge = badge_of(self._report, ceil(self.image.least_width_mm()))
        except QrkitError as error:
            self._badge = no_badge(error)
        with suppress(QrkitError):
            self._check_print()

    def _on_keep(self, _message: Any) -> None:
        """Do what can wait until the badge is seen: look for the largest logo, and update the static image."""
        self._logo.measure(self.design, self._draft.fetch)
        self._saved.refresh()
        self._twin.update(self._pictures())
        self._is_kept = True

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
        repair = self.design.make_scannable(fetch=self._draft.fetch, audience=self._audience)
        self._change(lambda: self._draft.take(repair.design))
        self._note = "; ".join(translated(change.message) for change in repair.changes)

    def _on_save(self, message: dict[str, Any]) -> None:
        """Save the look as a template or brand."""
        logo = self._logo.placed
        content = self.design.layers[logo.layer].content if logo else None
        kind, name, is_replacing = _kind_of(message), str(message.get("name", "")), message.get("replace") is True
        save = self._saved.save
        self._change(lambda: save(kind, name, self.settled, content, is_replacing=is_replacing), [OF_SAVED])

    def _on_load(self, message: dict[str, Any]) -> None:
        """Apply a template or brand to the design."""
        kind, name = _kind_of(message), str(message.get("name", ""))
        self._change(lambda: self._draft.take(self._look(kind, name, self.design)), [OF_SAVED])

    def _on_delete(self, message: dict[str, Any]) -> None:
        """Delete a template or brand."""
        self._change(lambda: self._saved.delete(_kind_of(message), str(message.get("name", ""))), [OF_SAVED])

    def _on_use(self, message: dict[str, Any]) -> None:
        """Have a campaign use a template."""
        name, campaign = str(message.get("name", "")), str(message.get("campaign", ""))
        self._change(lambda: self._saved.use(name, campaign), [OF_SAVED])

    def _on_restore(self, _message: Any) -> None:
        """Undo the last change of saved looks."""
        self._change(self._saved.undo, [OF_SAVED])

    def _on_open(self, message: dict[str, Any]) -> None:
        """Load a design from a file."""
        self._change(lambda: self._draft.take(Design.from_json(str(message.get("text", "")))), [Edit(("file",))])

    def _on_download(self, message: dict[str, Any]) -> None:
        """Send a file: in pixels, or for print if the message has a width in millimeters."""
        self._errors = {}
        name, size = message.get("format"), _print_size(message)
        if name not in DOWNLOADS:
            raise InvalidParameter(Problem("format", name, f"must be one of {', '.join(DOWNLOADS)}"))
        stem, design, of = str(message.get("name", "")), self.settled, message.get("of", "one")
        if of == "campaign":
            file, data = "qr-codes.zip", self._saved.zip_in(design, str(message.get("campaign", "")), stem, name, size)
        elif of != "one" or message.get("stock"):
            file, data = self._set.file(design, message, stem, name, size)
        else:
            picture = self.image if size is None else self.image.printed(size)
            file, data = safe_name(summary(stem) or _file_stem(self.image), name), picture.to_bytes(name)
        media = "application/zip" if file.endswith(".zip") else FORMATS[name].media_type
        answer = {"answer": "file", "view": message.get("view"), "name": file, "type": media}
        self.send(answer | {"to": message.get("to")}, buffers=[data])

    def _on_table(self, message: dict[str, Any]) -> None:
        """Read a table for a set of codes, from a data URL."""
        self._errors = {}
        table = b64decode(str(message.get("url", "")).partition(",")[2])
        columns, content = self._set.read(table, self.design)
        self.send({"answer": "columns", "view": message.get("view"), "columns": columns, "content": content})

    def _on_sheet(self, message: dict[str, Any]) -> None:
        """Send what to change before codes are printed together, and a picture of their first page on a sheet."""
        page, told = None, list[str]()
        with catch_warnings(record=True, action="always") as found:
            try:
                page = self._set.page(self.settled, message)
                told += self._set.sameness(self.design, message) if message.get("of") != "one" else []
            except QrkitError as error:
                told.append(translated(str(error)))
        told += dict.fromkeys(translated(str(one.message)) for one in found)
        self.send({"answer": "sheet", "view": message.get("view"), "told": told}, buffers=[page] if page else [])

    def _on_print(self, message: dict[str, Any]) -> None:
        """Check the image for a print size."""
        self._errors = {}
        self._size = _print_size(message)
        self._check_print()

    def _check_print(self) -> None:
        printed = None if self._size is None else self.image.printed(self._size)
        self._print_checks = [
            {"text": translated(check.text), "is_good": check.is_good} for check in print_checks(self.image, printed)
        ]

    def _on_copy(self, message: dict[str, Any]) -> None:
        self._errors = {}
        text = self.settled.to_json(indent=2) if message.get("form") == "json" else python_source(self.settled)
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
        picture = f'<img src="{source}" alt="{page_text(f"QR Code: {image.title}")}">'
        svg = self._draft.picture.get("svg") or image.small_svg()
        return {"text/plain": repr(image), "text/html": picture, "image/svg+xml": svg, "image/png": png}


def _kind_of(message: dict[str, Any]) -> str:
    """Return the kind of saved look that a message is about."""
    return str(message.get("kind", "template"))


def _file_stem(image: QRImage) -> str:
    """Return the name of a file from a content; the query of a link tells people nothing."""
    is_link = image.title.startswith(("http://", "https://"))
    return with_braces(re.split(r"[?#]", image.title, maxsplit=1)[0]) if is_link else file_stem(image.title)


def _print_size(message: dict[str, Any]) -> PrintSize | None:
    """Return the print size that a message asks for; None if it asks for pixels."""
    width, inks = message.get("mm"), {"bleed_mm": message.get("bleed", 0), "profile": message.get("profile")}
    return None if width is None else PrintSize(size_mm=width, dpi=message.get("dpi", DPI), **inks)


def _form(brand: Brand | None) -> dict[str, Any]:
    """Return what the browser builds the form from: controls by group, thumbnails of choices, names of presets."""
    return {
        "kinds": kind_forms(),
        "logo": logo_controls(),
        "groups": [[name, [control.as_dict() for control in members]] for name, members in groups().items()],
        "icons": [path_data(icon(symbol)) for symbol in SYMBOLS],
        "thumbnails": thumbnails(),
        "presets": look_controls(),
        "downloads": DOWNLOADS,
        "purposes": PURPOSES,
        "printWidth": PRINT_WIDTH,
        "swatches": swatch_groups(brand),
    }
