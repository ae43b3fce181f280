"""Writes a report as an executed notebook: its parameters first, then each question with its answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qrkit.errors import InvalidParameter, Problem, RenderingFailed, extra
from qrkit.files import complete_file, writing
from qrkit.languages import current_language, say
from qrkit.report.comparisons import Scope
from qrkit.report.facts import Facts
from qrkit.store.postgresql.database import is_server

SECONDS = 120
"""Maximum time for one cell."""

OPENING = """\
import qrkit
from qrkit import analytics, charts, report

portfolio = qrkit.open_portfolio(snapshot_of=store)  # a copy, so a running server is not blocked
scans = portfolio.scans.where(campaign_id=campaign_id, since=since, until=until, time_zone=time_zone)"""

WORDS = """\
asked = {"since": since, "until": until, "time_zone": time_zone}
made = report.campaign(portfolio, campaign_id, **asked) if campaign_id else report.portfolio(portfolio, **asked)
print(*made.words, sep="\\n\\n")"""

CLOSING = "portfolio.close()"


def cells(facts: Facts, title: str, parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the kind (markdown, parameters or code) and text of each cell that has something to show.

    `parameters` has values by name: store, campaign_id, since, until, time_zone, and the language unless it is English.
    """
    comparisons = facts.comparisons
    part = "campaign" if len(facts.campaigns) > 1 else "qrcode"
    advice = say("To report on another period, change the parameters and run all cells.")
    yield "markdown", f"# {_escape(title)}\n\n{advice}"
    yield "parameters", "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    yield "code", OPENING
    yield "markdown", f"## {say('What happened')}"
    is_english = current_language() == "en"
    yield "code", WORDS if is_english else WORDS.replace("time_zone}", 'time_zone, "language": language}')
    if facts.scans:
        yield "markdown", f"## {say('When')}"
        yield "code", _drawn('charts.lines(analytics.scans_per_day(scans, by="campaign"))')
        if comparisons.previous is not None:
            yield "code", _drawn("charts.previous_period(analytics.scans_and_previous(scans))")
        if comparisons.unusual is not None:
            yield "code", _drawn("charts.unusual_days(analytics.unusual_days(scans))")
        yield "code", _drawn("charts.hour_of_week(analytics.scans_by_hour(scans))")
        yield "markdown", f"## {say('Most scanned')}"
        yield "code", "analytics.top_qrcodes(scans)"
        if facts.rates is not None:
            yield "code", _drawn(f'charts.rates(analytics.rates(scans, by="{part}"))')
        if len(facts.locations):
            yield "code", _drawn("charts.scans_by_location(analytics.scans_by_location(scans))")
        if facts.unscanned:
            yield "markdown", f"## {say('Not scanned')}"
            yield "code", "print(made.unscanned)"
        yield "markdown", f"## {say('People, bots and devices')}"
        yield "code", _drawn("charts.human_scans(analytics.human_scans(scans))")
        yield "code", "analytics.visits_by_evidence(scans)"
        yield "code", _drawn('charts.bars(analytics.scans_by(scans, "system"))')
    yield "code", CLOSING


def _drawn(chart: str) -> str:
    """Return the code that shows a chart in the language of the report."""
    return chart if current_language() == "en" else f"with charts.in_language(language):\n    display({chart})"


def run(path: Path, facts: Facts, title: str, asked: tuple[str, str | None, Scope]) -> Path:
    """Run the cells in a new kernel, write the notebook, and return its path.

    An existing file is replaced only once the new one is complete. `asked` has the file of the store, the ID of the
    campaign or None, and the period.
    """
    store, campaign_id, days = asked
    if not Path(store).is_file():
        where = "on a server" if is_server(store) else "in memory"
        rule = f"is {where}; a notebook reads a store from its file: open_portfolio(path)"
        raise InvalidParameter(Problem("portfolio", store, rule))
    with extra("notebook"):
        import nbformat
    parameters = {
        "store": store,
        "campaign_id": campaign_id,
        "since": days.since and days.since.isoformat(),
        "until": days.until and days.until.isoformat(),
        "time_zone": days.time_zone,
    } | ({} if current_language() == "en" else {"language": current_language()})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(metadata=kernel)  # type: ignore[no-untyped-call]
    for number, (kind, text) in enumerate(cells(facts, title, parameters), 1):
        new = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
        metadata = {"tags": ["parameters"]} if kind == "parameters" else {}
        notebook.cells.append(new(text, id=f"cell-{number}", metadata=metadata))  # type: ignore[no-untyped-call]
    # Open the file first, so that a path that cannot be written fails before the cells run.
    with writing(path), complete_file(path) as file:
        _execute(notebook)
        file.write(nbformat.writes(notebook).encode() + b"\n")  # type: ignore[no-untyped-call]
    return path


def _execute(notebook: Any) -> None:
    with extra("notebook"):
        import ipykernel.kernelspec  # noqa: F401 - fails here with a clearer message than a missing kernel would
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    client = NotebookClient(notebook, kernel_name="python3", timeout=SECONDS, record_timing=False)
    # IPC sockets belong to this user alone; other users of the machine could connect to a TCP port.
    client.create_kernel_manager().transport = "ipc" if os.name == "posix" else "tcp"
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise RenderingFailed(f"the notebook failed to run: {error}") from error


def _escape(title: str) -> str:
    """Escape all characters of a title that Markdown or HTML could interpret as markup."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()#+-.!|<>&~$" else char for char in " ".join(title.split()))
