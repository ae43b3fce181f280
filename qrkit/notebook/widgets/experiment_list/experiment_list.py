"""Provides `Experiments`: what the experiments of a portfolio have found until now."""

from __future__ import annotations

from typing import Any

from qrkit.languages import LanguageTag, say
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.portfolio import Portfolio
from qrkit.report.facts import split_codes

NONE = (
    "No QR Code splits its visitors among variants yet. To begin an experiment, choose a code under “QR Codes”, open "
    "“Rules”, and choose “Add experiment”."
)


class Experiments(Page):
    """A sentence on each QR Code whose visitors are split among variants, as reports have it.

    QR Codes that the plan of the portfolio hides are left out.
    """

    _esm = script("experiment_list", "experiment_list")
    _css = style("experiment_list", "experiment_list", "qrkit-experiments")

    def __init__(self, portfolio: Portfolio, /, *, name: str = "experiments", language: LanguageTag = "en") -> None:
        self.portfolio = portfolio
        if self._is_open(name):
            with self._one_answer():
                return
        self._register(name)

    def _browser_state(self) -> dict[str, Any]:
        codes = [code for code in self.portfolio.list_qrcodes() if code.is_available]
        return {"sentences": [one.sentence for one in split_codes(self.portfolio, codes)] or [say(NONE)]}
