"""A report as a notebook that has been run: its parameters first, then each question with its answer, to go on from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, MissingProgram, Problem, RenderingFailed
from qrkit.files import complete_file, writing
from qrkit.store.postgresql.database import is_server

if TYPE_CHECKING:
    from qrkit.report.facts import Asked, Facts

__all__ = ["cells", "run"]

SECONDS = 120
"""How long one cell may take."""

OPENING = """\
from datetime import date

import qrkit
from qrkit import analytics, charts, report
from qrkit.analytics.time_zones import first_moment, zone_of

portfolio = qrkit.open_portfolio(snapshot_of=store)  # a copy: who serves the store is not disturbed
days = {name: day and date.fromisoformat(day) for name, day in (("since", since), ("until", until))}
bounds = {name: day and first_moment(zone_of(time_zone), day) for name, day in days.items()}
scans = portfolio.scans.where(campaign_id=campaign_id, **bounds)"""

WORDS = """\
asked = {**days, "time_zone": time_zone}
made = report.campaign(portfolio, campaign_id, **asked) if campaign_id else report.portfolio(portfolio, **asked)
print(*made.words, sep="\\n\\n")"""

CLOSING = "portfolio.close()"


def cells(facts: Facts, title: str, parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Kind (markdown, parameters or code) and text of each cell: of what there is an answer to.

    Args:
        facts: What is known; cells that would have nothing to show are left out.
        title: Of the report.
        parameters: By name: store, campaign_id, since, until, time_zone.
    """
    found = facts.comparisons
    part = "campaign" if len(facts.campaigns) > 1 else "qrcode"
    yield "markdown", f"# {_plain(title)}\n\nChange the parameters, run all cells, and it is a report of another time."
    yield "parameters", "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    yield "code", OPENING
    yield "markdown", "## What happened"
    yield "code", WORDS
    if facts.scans:
        yield "markdown", "## When"
        yield "code", 'charts.lines(analytics.scans_per_day(scans, by="campaign", time_zone=time_zone))'
        if found.previous is not None:
            yield "code", "charts.previous(analytics.scans_and_previous(scans, time_zone=time_zone))"
        if found.unusual is not None:
            yield "code", "charts.unusual(analytics.unusual_days(scans, time_zone=time_zone))"
        yield "code", "charts.week(analytics.scans_by_hour(scans, time_zone=time_zone))"
        yield "markdown", "## What is scanned"
        yield "code", "analytics.top_qrcodes(scans)"
        if facts.rates is not None:
            yield "code", f'charts.rates(analytics.rates(scans, by="{part}", time_zone=time_zone))'
        if len(facts.posters):
            yield "code", "charts.posters(analytics.posters(scans))"
        if facts.unscanned:
            yield "markdown", "## What is not scanned"
            yield "code", "print(made.unscanned)"
        yield "markdown", "## Who scanned"
        yield "code", "charts.people(analytics.human_scans(scans))"
        yield "code", "analytics.visits_by_evidence(scans)"
        yield "code", 'charts.bars(analytics.scans_by(scans, "system"))'
    yield "code", CLOSING


def run(path: Path, facts: Facts, title: str, asked: tuple[str, str | None, Asked]) -> Path:
    """Run the cells in a kernel of their own, and write the notebook; give the path back.

    Args:
        path: Where to; a file that was there is replaced when the new one is whole.
        facts: What is known of the period.
        title: Of the report.
        asked: The file of the store, the id of the campaign or None, and the days.

    Raises:
        InvalidParameter: The store is in no file: in memory, where no other process reaches it, or on a server.
        MissingProgram: nbclient or nbformat is not installed.
        RenderingFailed: A cell failed, or took longer than two minutes.
        CannotWrite: The file cannot be written.
    """
    store, campaign_id, days = asked
    if not Path(store).is_file():
        where = "on a server" if is_server(store) else "in memory"
        rule = f"is {where}; a notebook reads a store from its file: open_portfolio(path)"
        raise InvalidParameter(Problem("portfolio", store, rule))
    try:
        import nbformat
    except ImportError as error:
        raise _missing(error) from error
    parameters = {
        "store": store,
        "campaign_id": campaign_id,
        "since": days.since and days.since.isoformat(),
        "until": days.until and days.until.isoformat(),
        "time_zone": days.time_zone,
    }
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(metadata=kernel)  # type: ignore[no-untyped-call]
    for number, (kind, text) in enumerate(cells(facts, title, parameters), 1):
        new = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
        metadata = {"tags": ["parameters"]} if kind == "parameters" else {}
        notebook.cells.append(new(text, id=f"cell-{number}", metadata=metadata))  # type: ignore[no-untyped-call]
    # Opened first: who cannot write there is told before the cells run.
    with writing(path), complete_file(path) as file:
        _execute(notebook)
        file.write(nbformat.writes(notebook).encode() + b"\n")  # type: ignore[no-untyped-call]
    return path


def _execute(notebook: Any) -> None:
    try:
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError as error:
        raise _missing(error) from error
    client = NotebookClient(notebook, kernel_name="python3", timeout=SECONDS, record_timing=False)
    # Sockets of the file system are this user's alone; others on the machine could talk to a port.
    client.create_kernel_manager().transport = "ipc" if os.name == "posix" else "tcp"
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise RenderingFailed(f"the notebook could not be run: {error}") from error


def _missing(error: ImportError) -> MissingProgram:
    return MissingProgram(
        f"the package {error.name} is not installed; notebooks need it: pip install nbclient nbformat"
    )


def _plain(title: str) -> str:
    """A title without mark-up: backslashes before all that Markdown or HTML could take for a sign."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]()#+-.!|<>&~$" else one for one in " ".join(title.split()))
