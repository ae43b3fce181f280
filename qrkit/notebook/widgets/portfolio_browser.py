"""Provides `PortfolioBrowser`: campaigns and QR Codes with images and scans, to search and edit."""

from __future__ import annotations

from typing import Any

from qrkit.errors import InvalidParameter, NotFound
from qrkit.notebook.views import view
from qrkit.notebook.widgets.catalogue import EDITED, Catalogue
from qrkit.notebook.widgets.static_image import Pictures
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.portfolio import Portfolio

__all__ = ["PortfolioBrowser"]


class PortfolioBrowser(Page):
    """A widget to browse a portfolio. In a notebook, the last line of a cell displays it.

    Select a code to edit its name, content, comment, campaign and schedule. Running a cell again shows the same browser
    with the current state of the portfolio.

    Args:
        portfolio: The portfolio to browse.
        name: Name of the browser: a notebook has one browser per name.
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
        self._register(name)

    @property
    def portfolio(self) -> Portfolio:
        """The portfolio shown."""
        return self._catalogue.portfolio

    def _browser_state(self) -> dict[str, Any]:
        return self._catalogue.as_dict() | {"saved": self._saved}

    def _pictures(self) -> Pictures:
        return view(self.portfolio)

    def _on_filter(self, message: dict[str, Any]) -> None:
        given = {name: message[name] for name in ("words", "campaign") if isinstance(message.get(name), str)}
        self._catalogue.filter(**given)

    def _on_page(self, message: dict[str, Any]) -> None:
        page = message.get("page")
        self._catalogue.page = page if isinstance(page, int) else 0

    def _on_choose(self, message: dict[str, Any]) -> None:
        self._errors = {}
        self._catalogue.chosen = str(message.get("id", ""))

    def _on_reload(self, _message: Any) -> None:
        self._catalogue.reload()

    def _on_save(self, message: dict[str, Any]) -> None:
        """Save the edited fields. If any is invalid, show the rule next to it and save nothing."""
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
    "filter": PortfolioBrowser._on_filter,
    "page": PortfolioBrowser._on_page,
    "choose": PortfolioBrowser._on_choose,
    "reload": PortfolioBrowser._on_reload,
    "save": PortfolioBrowser._on_save,
}
