"""`PortfolioBrowser`: campaigns and QR Codes with pictures and scans, to be found and changed by hand."""

from __future__ import annotations

from typing import Any

from qrkit.errors import InvalidParameter, NotFound
from qrkit.notebook.views import view
from qrkit.notebook.widgets.catalogue import EDITED, Catalogue
from qrkit.notebook.widgets.twin import Pictures
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.portfolio import Portfolio

__all__ = ["PortfolioBrowser"]


class PortfolioBrowser(Page):
    """A portfolio to look through. In a notebook the last line of a cell shows it.

    A code that is chosen is changed beside the list: name, content, comment, campaign and schedule. A cell that is run
    again shows the same browser with what the portfolio holds by then.

    Args:
        portfolio: What is shown.
        name: Of the browser: there is one of each name.
    """

    _esm = script("portfolio_browser")
    _css = style("portfolio_browser")
    _catalogue: Catalogue

    def __init__(self, portfolio: Portfolio, /, *, name: str = "portfoliobrowser") -> None:
        if self._is_open(name):
            with self._one_answer():
                if portfolio is self._catalogue.portfolio:
                    self._catalogue.reload()
                else:
                    self._catalogue = Catalogue(portfolio)
            return
        self._catalogue = Catalogue(portfolio)
        self._saved = 0
        self._opened(name)

    @property
    def portfolio(self) -> Portfolio:
        """What is shown."""
        return self._catalogue.portfolio

    def _told(self) -> dict[str, Any]:
        return self._catalogue.as_dict() | {"saved": self._saved}

    def _pictures(self) -> Pictures:
        return view(self.portfolio)

    def _filtered(self, message: dict[str, Any]) -> None:
        given = {name: message[name] for name in ("words", "campaign") if isinstance(message.get(name), str)}
        self._catalogue.filter(**given)

    def _turned(self, message: dict[str, Any]) -> None:
        page = message.get("page")
        self._catalogue.page = page if isinstance(page, int) else 0

    def _chosen(self, message: dict[str, Any]) -> None:
        self._errors = {}
        self._catalogue.chosen = str(message.get("id", ""))

    def _reloaded(self, _message: Any) -> None:
        self._catalogue.reload()

    def _save(self, message: dict[str, Any]) -> None:
        """Keep what was changed; what breaks a rule is told beside its field, and nothing is kept."""
        fields = message.get("fields")
        try:
            self._catalogue.save(fields if isinstance(fields, dict) else {})
        except InvalidParameter as error:
            self._errors = {one.name if one.name.split(".")[0] in EDITED else "": one.rule for one in error.problems}
            return
        except NotFound:
            self._catalogue.reload()
            raise
        self._errors, self._saved = {}, self._saved + 1
        self._twin.update(self._pictures())

    def __repr__(self) -> str:
        return f"<PortfolioBrowser {self.name!r} of {self.portfolio!r}>"


PortfolioBrowser.handlers = {
    "filter": PortfolioBrowser._filtered,
    "page": PortfolioBrowser._turned,
    "choose": PortfolioBrowser._chosen,
    "reload": PortfolioBrowser._reloaded,
    "save": PortfolioBrowser._save,
}
