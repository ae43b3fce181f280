"""What the console shows: one widget at a time, chosen by tabs. This runs in the process behind an open page.

Widgets and portfolios are imported where they are used, so that each page opens as soon as it can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anywidget
from IPython.display import display
from ipywidgets import HTML, Widget, widget_serialization
from traitlets import Dict, Instance, List, Unicode

from qrkit.errors import QrkitError
from qrkit.languages import LanguageTag, in_language, say
from qrkit.notebook.widgets.widget import script, speaking

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio


PAGES = {
    "QR Codes": "browser.portfolio_browser:PortfolioBrowser",
    "Scans": "dashboard.scan_dashboard:ScanDashboard",
    "Experiments": "experiment_list.experiment_list:Experiments",
    "Studio": "studio.designer:Designer",
    "Settings": "administration.administration:Administration",
}
"""The widget of each page, by its title, as the module in `qrkit.notebook.widgets` and the class."""


class Pages(anywidget.AnyWidget):
    """Tabs that show a widget each. A widget is made when its tab is first selected.

    Makers return the widgets, by the title of the tab. They are called at each selection, so that the widget shows the
    current records. The account is the name of the one that has signed in; "" if nobody needs to.
    """

    _esm = script("../console", "pages")
    titles = List(Unicode()).tag(sync=True)
    selected = Unicode().tag(sync=True)
    widgets = Dict(value_trait=Instance(Widget)).tag(sync=True, **widget_serialization)
    problem = Unicode().tag(sync=True)
    account = Unicode().tag(sync=True)

    def __init__(
        self, makers: Mapping[str, Callable[[], Widget]], *, account: str = "", language: LanguageTag = "en"
    ) -> None:
        self._makers, self._esm = makers, speaking(self._esm, language)
        titles = list(makers)
        super().__init__(titles=titles, selected=titles[0], widgets={titles[0]: makers[titles[0]]()}, account=account)
        self.observe(self._open, "selected")

    def _open(self, _change: Any) -> None:
        if (maker := self._makers.get(self.selected)) is None:
            return
        try:
            self.widgets, self.problem = self.widgets | {self.selected: maker()}, ""
        except QrkitError as error:
            self.problem = str(error)


def show_studio(content: str = "", language: LanguageTag = "en") -> None:
    """Show the studio alone, with a content to begin with; "" for the studio's own."""
    from qrkit.notebook.widgets.studio.designer import Designer

    display(Designer(*filter(None, [content]), language=language))


def show_console(place: str, account_id: str = "", *, may_move: bool = True, language: LanguageTag = "en") -> None:
    """Show the pages of a portfolio, or why its store cannot be opened; an empty account ID is the local user's.

    The base URL `may_move` if no server has the store open.
    """
    try:
        display(
            pages_of(_opened(place, account_id), is_signed_in=bool(account_id), may_move=may_move, language=language)
        )
    except QrkitError as error:
        display(HTML(f'<p class="qrkit-console-problem" role="alert">{escape(str(error))}</p>'))


def pages_of(
    portfolio: Portfolio, *, is_signed_in: bool = False, may_move: bool = True, language: LanguageTag = "en"
) -> Pages:
    """Return the pages of a portfolio, as in `PAGES`."""

    def maker(title: str) -> Callable[[], Widget]:
        module, _, name = PAGES[title].partition(":")

        def make() -> Widget:
            widget = getattr(import_module(f"qrkit.notebook.widgets.{module}"), name)
            if title == "Studio":  # begins with a design
                return widget(portfolio=portfolio, language=language)
            options = {"may_move": may_move} if title == "Settings" else {}
            return widget(portfolio, language=language, **options)

        return make

    account = portfolio.account.name if is_signed_in else ""
    with in_language(language):
        return Pages({say(title): maker(title) for title in PAGES}, account=account, language=language)


def _opened(place: str, account_id: str) -> Portfolio:
    """Open a portfolio of a store, through the process that has its file open if there is one."""
    from qrkit.portfolio import Portfolio, open_portfolio
    from qrkit.portfolio.access import list_accounts
    from qrkit.portfolio.opening import portfolio_in
    from qrkit.store.postgresql.database import is_server
    from qrkit.store.served.database import served_store

    served = None if is_server(place) else served_store(place)
    local = portfolio_in(served) if served else open_portfolio(place)
    if not account_id:
        return local
    account = next(one for one in list_accounts(local.store) if one.id == account_id)
    return Portfolio(local.store, account, base_url=local.base_url)
