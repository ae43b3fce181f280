"""Provides `PortfolioBrowser`: campaigns and QR Codes with images and scans, to search and edit.

Its script consists of `portfolio_forms.js`, `rule_form.js`, `file_import.js` and `portfolio_browser.js`.
"""

from __future__ import annotations

import warnings
from base64 import b64decode
from collections.abc import Callable
from typing import Any, TypeVar

from traitlets import Dict

from qrkit.errors import InvalidParameter, NotFound, Problem
from qrkit.exchange import IMAGE_FORMATS
from qrkit.exchange.merge import ImportResult
from qrkit.languages import LanguageTag, in_language, say, translated
from qrkit.notebook.views import view
from qrkit.notebook.widgets.browser.catalogue import EDITED, EDITED_TOGETHER, NEW_CAMPAIGN, Catalogue
from qrkit.notebook.widgets.browser.file_import import CHOICES, FileImport
from qrkit.notebook.widgets.browser.rule_form import rule_form
from qrkit.notebook.widgets.studio.designer import Designer
from qrkit.notebook.widgets.widget import Page, Pictures, script, style
from qrkit.paper.stocks import CARDS, stocks
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import check_exchange
from qrkit.portfolio.many_codes import DeletedQRCodes, EditedQRCodes

NEW = ("content", "name", "campaign_id", NEW_CAMPAIGN)
"""Fields of a new QR Code."""
FILTERS = ("words", "campaign", "order", "only")
"""What decides which codes the list shows, and in which order."""
PRINTED = ("kind", "image_format", "names", "size_mm", "dpi", "stock")
"""Fields of a download."""


T = TypeVar("T")
Undoable = DeletedQRCodes | EditedQRCodes | ImportResult
DELETED = ("{count} QR Code deleted.", "{count} QR Codes deleted.")
RESTORED = (
    "{count} QR Code restored, with short URL and scans.",
    "{count} QR Codes restored, with short URLs and scans.",
)
COUNTED = ("{count} scan was counted until then.", "{count} scans were counted until then.")
CHANGED_BACK = ("{count} QR Code changed back.", "{count} QR Codes changed back.")
LOCAL = (
    "Short URLs begin with {url}, which leads only to this computer. Set the address of your server (in the settings, "
    "or as base_url in Python) before you print anything."
)
FIRST_SHEET = "Here is the first sheet. Before you print:"
FIRST_SHEET_IS_FINE = "Here is the first sheet. Nothing needs to change."
CHANGED = ("{count} QR Code changed.", "{count} QR Codes changed.")


class PortfolioBrowser(Page):
    """A widget to browse a portfolio. In a notebook, the last line of a cell displays it.

    Choose a code to see its picture, and to edit its fields, its rules, its limits and its schedule; a test request
    shows which rule answers before anything is saved. Open it in the studio, duplicate it, or delete it. Select several
    codes, or all that match a search, to edit them together, or to download them for print: as a zip of pictures, a PDF
    with a page each, a sheet of labels or cards, or a spreadsheet. The last deletion, edit or import can be undone,
    whichever came last; not an import that kept the short codes of its file. Running a cell again shows the same
    browser with the current state of the portfolio.

    Args:
        portfolio: The portfolio to browse.
        name: Name of the browser: a notebook has one browser per name.
        language: Language of its words: en, de, fr, es or nl.

    Attributes:
        studio: The studio of the chosen code, once it has been opened there; None before.
    """

    _esm = script("browser", "portfolio_forms", "rule_form", "file_import", "portfolio_browser")
    _css = style("browser", "portfolio_browser", "qrkit-browser")
    rule_form = Dict().tag(sync=True)
    print_form = Dict().tag(sync=True)
    _catalogue: Catalogue
    _undoable: Undoable | None
    studio: Designer | None

    def __init__(
        self, portfolio: Portfolio, /, *, name: str = "portfoliobrowser", language: LanguageTag = "en"
    ) -> None:
        if self._is_open(name):
            with self._one_answer():
                if portfolio is self._catalogue.portfolio:
                    self._catalogue.reload()
                else:
                    self._is_in_studio = False
                    self._catalogue, self._undoable = Catalogue(portfolio), None
            return
        self._catalogue = Catalogue(portfolio)
        self._undoable = None
        self.studio, self._is_in_studio, self._is_drawing = None, False, False
        self._said, self._saved = "", 0
        self._preview: dict[str, Any] | None = None
        self._tried: dict[str, Any] | None = None
        self._file: FileImport | None = None
        with in_language(language):
            self._register(name, rule_form=rule_form(), print_form=print_form())

    @property
    def portfolio(self) -> Portfolio:
        """The portfolio shown."""
        return self._catalogue.portfolio

    def close(self) -> None:
        """Remove the widget, and the studio opened in it, from the page and from memory."""
        if self.studio is not None:
            self.studio.close()
            self.studio = None
        super().close()

    def _browser_state(self) -> dict[str, Any]:
        studio = self.studio if self._is_in_studio else None
        shown = self._catalogue.with_thumbnails() if self._is_drawing else self._catalogue.as_dict()
        self._is_drawing = False
        return shown | {
            "saved": self._saved,
            "said": self._said,
            "preview": self._preview,
            "tried": self._tried,
            "file": self._file and self._file.state,
            "undoable": self._undoable and _undo_words(self._undoable),
            "studio": studio and studio.model_id,
        }

    def _pictures(self) -> Pictures:
        return view(self.portfolio)

    # ---- Messages from the browser

    def _on_filter(self, message: dict[str, Any]) -> None:
        given = {name: message[name] for name in FILTERS if isinstance(message.get(name), str)}
        self._errors = {}
        self._catalogue.filter(**given)
        self._preview = None

    def _on_page(self, message: dict[str, Any]) -> None:
        page = message.get("page")
        self._catalogue.page = page if isinstance(page, int) else 0

    def _on_columns(self, message: dict[str, Any]) -> None:
        names = message.get("names")
        self._catalogue.columns = names if isinstance(names, list) else None

    def _on_draw(self, _message: Any) -> None:
        self._is_drawing = True

    def _on_choose(self, message: dict[str, Any]) -> None:
        self._errors, self._said, self._tried = {}, "", None
        self._is_in_studio = False
        self._catalogue.chosen = str(message.get("id", ""))

    def _on_select(self, message: dict[str, Any]) -> None:
        ids, is_on = message.get("ids"), bool(message.get("is_on"))
        self._preview = None
        if isinstance(ids, list):
            self._catalogue.select([id for id in ids if isinstance(id, str)], is_on=is_on)
        else:
            self._catalogue.select_all(is_on=is_on)

    def _on_reload(self, _message: Any) -> None:
        self._catalogue.reload()

    def _on_save(self, message: dict[str, Any]) -> None:
        """Save the edited fields. If any is invalid, show the rule next to it and save nothing."""
        edited = self._edit((*EDITED, NEW_CAMPAIGN), "", lambda: self._catalogue.save(_fields(message)))
        if edited:
            self._said = self._with_warning(say(CHANGED, len(edited)))

    def _with_warning(self, said: str) -> str:
        """Return what is said of the chosen code, and what is suspicious about the address that was given to it."""
        return " ".join(filter(None, [said, self._catalogue.warning()]))

    def _on_try(self, message: dict[str, Any]) -> None:
        """Show where a test request would lead if the fields were saved. The rows stay as they are."""
        request = message.get("request")
        self._tried = self._catalogue.attempt(_fields(message), request if isinstance(request, dict) else {})
        self._is_drawing = True

    def _on_add(self, message: dict[str, Any]) -> None:
        fields = _fields(message)
        given = {name: fields[name] for name in NEW if isinstance(fields.get(name), str)}
        if self._change(NEW, "new.", lambda: self._catalogue.add({"content": "", **given})):
            self._said = self._with_warning(say("QR Code added."))

    def _on_duplicate(self, _message: Any) -> None:
        if self._change((), "", self._catalogue.duplicate):
            self._said = say("Copy added, with a short URL of its own.")

    def _on_delete(self, message: dict[str, Any]) -> None:
        """Delete the chosen code, or all individually selected codes."""
        catalogue = self._catalogue
        ids = list(catalogue.selected) if message.get("are_selected") else [catalogue.chosen]
        for deleted in self._change((), "", lambda: self.portfolio.delete_qrcodes(ids)) if ids else ():
            self._undoable = deleted
            self._clear_selection()
            self._is_in_studio = False
            stops = say("Short URLs stop working, and are never given to other codes.")
            self._said = f"{_deletion_words(deleted)} {stops}"

    def _on_undo(self, _message: Any) -> None:
        """Undo the last deletion, edit or import."""
        if (last := self._undoable) is None:
            return
        for said, further in self._change((), "", lambda: _undo(self.portfolio, last)):
            self._said, self._undoable = said, further
            self._catalogue.reload()
            self._clear_selection()

    def _clear_selection(self) -> None:
        """Select nothing, because other codes match now than those that were selected."""
        self._catalogue.select_all(is_on=False)
        self._preview = None

    def _on_preview(self, message: dict[str, Any]) -> None:
        self._errors, self._said = {}, ""
        self._preview = self._catalogue.preview(_fields(message))

    def _on_edit_selection(self, message: dict[str, Any]) -> None:
        edited = self._edit(EDITED_TOGETHER, "all.", lambda: self._catalogue.edit_selection(_fields(message)))
        if edited is not None:
            self._preview = None
            self._said = say(CHANGED, len(edited))

    def _on_download(self, message: dict[str, Any]) -> None:
        """Send the selected codes as a file, and say what a print shop should know about the pictures."""
        check_exchange(self.portfolio.account)
        fields, write = _fields(message), self._catalogue.download
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            saves = fields.get("kind") != "page"  # a look at the first sheet leaves the form open
            made = self._change(PRINTED, "print.", lambda: write(fields), saves=saves)
        for name, data in made:
            self.send({"answer": "file", "view": message.get("view"), "name": name}, buffers=[data])
            advice = list(dict.fromkeys(f"{translated(str(one.message).rstrip('.'))}." for one in told))
            if not name.endswith(".xlsx") and (url := self._catalogue.local_url()):
                advice.insert(0, say(LOCAL, url=url))
            said = say("{name} has been made.", name=name)
            if name.endswith(".svg"):
                said = say(FIRST_SHEET if advice else FIRST_SHEET_IS_FINE)
            self._said = " ".join([said, *advice])

    def _on_check_import(self, message: dict[str, Any]) -> None:
        """Show what an import of the file, or of the last one, would do with these columns, or with the last ones."""
        self._errors, self._said = {}, ""
        url, columns = message.get("url"), message.get("columns")
        if isinstance(url, str):
            self._file = FileImport(self.portfolio, str(message.get("name", "")), b64decode(url.partition(",")[2]))
        if (file := self._file) is not None:
            chosen = {name: str(message.get(name, "")) for name in CHOICES}
            theirs = columns if isinstance(columns, dict) else None
            self._change(CHOICES, "import.", lambda: file.check(theirs, chosen), saves=False)

    def _on_import(self, _message: Any) -> None:
        """Add the QR Codes or the visits of the file that was checked."""
        if (file := self._file) is not None and self._change(CHOICES, "import.", file.add):
            self._file = None
            if isinstance(file.result, ImportResult):
                self._undoable = None if file.result.kept_codes else file.result
            self._catalogue.reload()
            self._clear_selection()
            self._said = f"{file.state['name']}: {file.result}."

    def _on_close_import(self, _message: Any) -> None:
        self._errors, self._file = {}, None

    def _on_studio(self, _message: Any) -> None:
        """Open the chosen code in the studio, in its own design."""
        design = self.portfolio.design_of(self._catalogue.chosen)
        self.studio = Designer(design, name=f"{self.name} studio", portfolio=self.portfolio, language=self._language)
        self._errors, self._said, self._is_in_studio = {}, "", True

    def _on_leave(self, _message: Any) -> None:
        self._errors = {}
        self._is_in_studio = False

    def _on_use(self, message: dict[str, Any]) -> None:
        """Save the design of the studio as a template, and draw the chosen code with it."""
        studio, name = self.studio, str(message.get("template", ""))
        if studio is None:
            return
        if self._change(("name",), "studio.", lambda: self._catalogue.use_template(name, studio.settled)):
            self._is_in_studio = False
            self._said = say("The template “{name}” now draws this QR Code.", name=name)

    def _edit(self, names: tuple[str, ...], form: str, edit: Callable[[], EditedQRCodes]) -> EditedQRCodes | None:
        """Edit QR Codes as `_change` does, so that it can be undone; return what was edited, None if nothing was."""
        edited = next(iter(self._change(names, form, edit)), None)
        self._undoable = edited or self._undoable
        return edited

    def _change(self, names: tuple[str, ...], form: str, change: Callable[[], T], *, saves: bool = True) -> list[T]:
        """Change the portfolio, and return the result in a list, which is empty if that did not work.

        Errors stand beside the fields of the form.
        """
        self._said = ""
        try:
            result = change()
        except InvalidParameter as error:
            self._errors = dict(
                (f"{form}{one.name}", one.rule) if one.name.split(".")[0] in names else ("", _sentence(one))
                for one in error.problems
            )
            return []
        except NotFound:
            self._catalogue.reload()
            raise
        self._errors, self._saved = {}, self._saved + saves
        self._twin.update(self._pictures())
        return [result]

    def __repr__(self) -> str:
        return f"<PortfolioBrowser {self.name!r} of {self.portfolio!r}>"


def _sentence(problem: Problem) -> str:
    """Describe a problem that belongs to no field of the form, such as one in the studio."""
    return str(problem) if problem.value is None else problem.rule


def _fields(message: dict[str, Any]) -> dict[str, Any]:
    fields = message.get("fields")
    return fields if isinstance(fields, dict) else {}


def print_form() -> dict[str, Any]:
    """Return the formats of pictures and the stocks of labels and cards, as JSON for the script."""
    labels = [{"id": name, "name": f"{name}, {one.description}"} for name, one in {**CARDS, **stocks()}.items()]
    return {"formats": IMAGE_FORMATS, "stocks": labels}


def _undo(portfolio: Portfolio, last: Undoable) -> tuple[str, Undoable | None]:
    """Undo a deletion, an edit or an import, and return what the browser says then, and what can be undone next."""
    if isinstance(last, DeletedQRCodes):
        portfolio.restore_qrcodes(last)
        return say(RESTORED, len(last)), None
    if isinstance(last, EditedQRCodes):
        return say(CHANGED_BACK, portfolio.undo_edit(last)), None
    deleted = portfolio.undo_import(last)
    told = [_deletion_words(deleted)] if last.created else []
    told += [say(CHANGED_BACK, len(last.updates))] if last.updates else []
    return " ".join(told), deleted or None


def _deletion_words(deleted: DeletedQRCodes) -> str:
    """Say how many QR Codes were deleted, and what is lost with them."""
    return " ".join([say(DELETED, len(deleted)), *([say(COUNTED, deleted.scans)] if deleted.scans else [])])


def _undo_words(undoable: Undoable) -> dict[str, str]:
    """Return what the browser says about what can be undone, and the text of the button."""
    if isinstance(undoable, ImportResult):
        return {"said": f"{undoable}.", "button": say("Undo import")}
    if isinstance(undoable, DeletedQRCodes):
        return {"said": _deletion_words(undoable), "button": say("Undo deletion")}
    return {"said": say(CHANGED, len(undoable)), "button": say("Undo change")}
