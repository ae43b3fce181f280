"""Provides `Experiments`: what the experiments of a portfolio have found until now."""

from __future__ import annotations

from html import escape

from ipywidgets import HTML

from qrkit.languages import LanguageTag, in_language, say
from qrkit.portfolio import Portfolio
from qrkit.report.facts import split_codes

__all__ = ["Experiments"]

NONE = "No QR Code splits its visitors among variants yet. “qrkit set CODE --rules pages.json” begins an experiment."


class Experiments(HTML):  # type: ignore[misc]  # ipywidgets has no types
    """A sentence on each QR Code whose visitors are split among variants, as reports have it.

    Args:
        portfolio: The portfolio; QR Codes that its plan hides are left out.
        language: Language of the sentences: en, de, fr, es or nl.
    """

    def __init__(self, portfolio: Portfolio, /, *, language: LanguageTag = "en") -> None:
        codes = [code for code in portfolio.list_qrcodes() if code.is_available]
        with in_language(language):
            told = [experiment.sentence for experiment in split_codes(portfolio, codes)] or [say(NONE)]
        lines = "".join(f'<p style="margin:0 0 12px">{escape(sentence)}</p>' for sentence in told)
        super().__init__(f'<div class="qrkit-widget" role="region" aria-label="Experiments">{lines}</div>')
