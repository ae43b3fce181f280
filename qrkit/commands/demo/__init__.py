"""Runs the demo: a spreadsheet of posters becomes tracked QR Codes, people scan them, and a report shows results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from tqdm import tqdm

from qrkit import report
from qrkit.commands.demo.people import DAYS, FIRST_DAY, Arrival, arrivals, place_of
from qrkit.contents.cards import file_stem
from qrkit.design.brand import Brand
from qrkit.design.decoration import Modules
from qrkit.exchange.merge import ImportResult
from qrkit.files import safe_stem
from qrkit.portfolio import Portfolio, open_portfolio
from qrkit.server import Client, make_app

__all__ = ["SAMPLE", "DemoResult", "add_sample", "arrivals", "draw_all", "dress", "replay", "run"]

SAMPLE = files("qrkit.commands.demo") / "posters.csv"
"""The bundled spreadsheet: 24 posters of a fictional museum in 4 campaigns."""

Add = Callable[[Portfolio], ImportResult]
"""Adds QR Codes to a portfolio."""

TITLE = "Demo report: these scans are made up"


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The results of a demo: two pictures per QR Code, and visits, of which some count as scans."""

    imported: ImportResult
    pictures: int
    visits: int
    scans: int
    store: Path
    codes: Path
    report: Path


BRAND = Brand(
    "Harbour Museum",
    ink="#123047",
    accent="#9a3412",
    logo="icon:anchor",
    modules=Modules(type="rounded"),
    eye="rounded",
)
"""The brand of the fictional museum."""

LOOKS: Mapping[str, Mapping[str, Any]] = {
    "Tide and Salt": {"modules": Modules(type="liquid")},
    "Café Kaja": {"accent": "#7c2d12", "ink": "#43210f", "logo": "icon:coffee", "modules": Modules(type="dots")},
    "School visits": {"accent": "#14532d", "ink": "#14532d", "logo": "icon:school", "eye": "squircle"},
    "Night of the Harbour, 13 June": {"accent": "#6b21a8", "ink": "#1e1b4b", "logo": "icon:star"},
}
"""What the brand has of its own in each campaign."""


def add_sample(portfolio: Portfolio) -> ImportResult:
    """Add the QR Codes of the bundled spreadsheet, in the look of the museum."""
    imported = portfolio.import_file(SAMPLE.read_bytes())
    dress(portfolio)
    return imported


def dress(portfolio: Portfolio) -> None:
    """Give the museum its brand, and each of its campaigns a template."""
    portfolio.brands.save("museum", BRAND)
    portfolio.brands.use("museum")
    for campaign in portfolio.list_campaigns():
        brand = BRAND.replace(**LOOKS.get(campaign.name, {}))
        portfolio.templates.save(campaign.name, brand.design("https://www.harbour-museum.example", version=4))
        portfolio.update_campaign(campaign.id, template=campaign.name)


def run(folder: Path, *, add: Add = add_sample, seed: int = 1, show_progress: bool = True) -> DemoResult:
    """Run the demo in a folder. The results of an earlier demo in it are replaced, unless `add` raises an error."""
    # tqdm: None shows a bar only on terminals.
    hidden = None if show_progress else True
    with open_portfolio(":memory:") as trial:
        # Try it in memory first, so that an unreadable spreadsheet does not cost the results of an earlier demo.
        add(trial)
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "demo.duckdb"
    if store.exists():
        # This fails if another process has the store open.
        open_portfolio(store).close()
        store.unlink()
    with open_portfolio(store) as portfolio:
        imported = add(portfolio)
        pictures = draw_all(portfolio, folder / "codes", hidden=hidden)
        month = arrivals(portfolio.list_qrcodes(), seed=seed)
        replay(portfolio, tqdm(month, desc="Replaying a month of visits", unit="", disable=hidden))
        since = FIRST_DAY.date()
        made = report.portfolio(portfolio, title=TITLE, since=since, until=since + timedelta(days=DAYS))
        file = made.save(folder / "report.html")
        return DemoResult(imported, pictures, len(month), portfolio.scans.count(), store, folder / "codes", file)


def draw_all(portfolio: Portfolio, folder: Path, *, hidden: bool | None = True) -> int:
    """Draw every QR Code as SVG and PNG, one folder per campaign; return the number of files."""
    names = {None: "no campaign"} | {one.id: one.name for one in portfolio.list_campaigns()}
    drawn: set[str] = set()
    for code in tqdm(portfolio.list_qrcodes(), desc="Drawing", unit=" codes", disable=hidden):
        image = portfolio.image(code)
        place = folder / safe_stem(names[code.campaign_id])
        place.mkdir(parents=True, exist_ok=True)
        stem = file_stem(code.name)
        if str(place / stem).lower() in drawn:
            # Two names may have the same safe form; the short code distinguishes them.
            stem = f"{stem} {code.short_code}"
        drawn.add(str(place / stem).lower())
        for format in ("svg", "png"):
            image.save(place / f"{stem}.{format}")
    return 2 * len(drawn)


def replay(portfolio: Portfolio, month: Iterable[Arrival]) -> None:
    """Send requests through the redirect as a server would, each at its own time."""
    moment = FIRST_DAY
    client = Client(make_app(portfolio.store, clock=lambda: moment, locate=place_of))
    for arrival in month:
        moment = arrival.time
        path = f"/{arrival.short_code}"
        client.request(arrival.method, path, headers=arrival.headers, address=arrival.address)
