"""Implements `qrkit mcp`: tools for assistants, in the Model Context Protocol over standard input and output.

A tool is a function: its signature is the schema, its docstring the description. Questions to scans are the functions
of `qrkit.analytics` in `QUESTIONS`, whose views are chosen by JSON (`Which`). Each call opens the store as any command
does, so that a server may start and stop meanwhile; one call runs at a time.
"""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from functools import partial, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from qrkit.commands.campaign import campaign_rows
from qrkit.commands.codes import code_rows
from qrkit.commands.parsing import Parser
from qrkit.commands.report import period_of
from qrkit.commands.stores import add_store, opened
from qrkit.contents.cards import summary
from qrkit.contents.suspicious_links import link_warning
from qrkit.errors import InvalidParameter, Problem, QrkitError, check_whole, extra
from qrkit.languages import LanguageTag
from qrkit.store import Scans
from qrkit.tracking.times import WholePeriod

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools import Tool as DescribedTool

    from qrkit.pictures.image import QRImage
    from qrkit.portfolio import Portfolio
    from qrkit.tracking.records import QRCode


Answer = dict[str, Any]
Tool = Callable[..., Answer]
Opening = Callable[[], AbstractContextManager["Portfolio"]]
MOST_ROWS = 1_000
"""Maximum number of rows in an answer."""
QUESTIONS: Mapping[str, Sequence[str]] = {
    "summary": (), "scans_by": (), "scans_per": (), "human_scans": (), "rates": (), "compare": (),
    "before_and_after": ("control", "covariates"), "ranking": (), "unusual_days": (), "silent": (), "forecast": (),
}  # fmt: skip
"""Functions of `qrkit.analytics`, with the parameters that JSON cannot give."""
ABOUT = """\
Tracked QR Codes and their scans, in the store of the person you work for. Intervals hold with the given level, by
default 95%. Where `reason` is not empty, there is no interval, and it says why: do not call such a difference real.
"""


def define_mcp(one: Parser) -> None:
    """Define the command `mcp`."""
    one.add_argument("--write", action="store_true", help="also let it add, change and remove QR Codes and campaigns")
    add_store(one)
    one.set_defaults(run=_mcp)


def _mcp(asked: argparse.Namespace) -> None:
    with extra("mcp"):
        from mcp.server.mcpserver import MCPServer

    from qrkit import analytics
    from qrkit.version import __version__

    reading, lock = partial(opened, asked, to_read=True), Lock()
    with reading():
        pass  # complains at once of a store that cannot be opened
    reader = Reader(reading)
    reads: list[Tool] = [
        reader.make_code, reader.check_code, reader.list_codes, reader.show_code, reader.list_campaigns, reader.report,
    ]  # fmt: skip
    reads += [_question(getattr(analytics, name), reading, without) for name, without in QUESTIONS.items()]
    tools = [_described(do, lock, is_change=False) for do in reads]
    if asked.write:
        writer = Writer(partial(opened, asked, must_exist=True))
        changes: list[Tool] = [writer.add_code, writer.change_code, writer.remove_code, writer.add_campaign]
        tools += [_described(do, lock, is_change=True) for do in changes]
    MCPServer("qrkit", instructions=ABOUT, version=__version__, tools=tools, log_level="ERROR").run()


def _described(do: Tool, lock: Lock, *, is_change: bool) -> DescribedTool:
    """Return a tool as the SDK wants it: described by its docstring and its signature, one call at a time."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool as DescribedTool
    from mcp.types import ToolAnnotations

    @wraps(do)
    def answer(*args: Any, **given: Any) -> Answer:
        try:
            with lock:
                return do(*args, **given)
        except QrkitError as error:
            raise ToolError(error.told("command")) from error

    about = (inspect.getdoc(do) or "").partition("\nExample:")[0]
    hints = ToolAnnotations(read_only_hint=not is_change, open_world_hint=False)
    made = DescribedTool.from_function(answer, description=about, annotations=hints, structured_output=False)
    # A misspelt filter must not answer for all scans.
    made.fn_metadata.arg_model.model_config["extra"] = "forbid"
    made.fn_metadata.arg_model.model_rebuild(force=True)
    made.parameters["additionalProperties"] = False
    return made


@dataclass(frozen=True, slots=True)
class Which:
    """Which scans count; bots, link previews and HEAD requests are no scans.

    `code` is a short code, a short URL, a name or an ID; `campaign` a name or an ID; `tag` one of the tags of QR Codes.
    Days, such as 2026-06-01, are in `time_zone`, by default that of the store: `since` is the first one, `until` the
    one after the last. `last` asks for the last whole week (from Monday), month or quarter instead.
    """

    __pydantic_config__: ClassVar[Answer] = {"extra": "forbid"}

    code: str | None = None
    campaign: str | None = None
    tag: str | None = None
    since: str | None = None
    until: str | None = None
    last: WholePeriod | None = None
    time_zone: str = ""

    def of(self, portfolio: Portfolio) -> Scans:
        """Return the view of these scans."""
        return portfolio.scans.where(
            qrcode_id=None if self.code is None else portfolio.find_qrcode(self.code).id,
            campaign_id=None if self.campaign is None else portfolio.find_campaign(self.campaign).id,
            tag=self.tag,
            **period_of(self, portfolio),
        )


ALL = Which()
IN_JSON = {Scans: Which, Collection[date]: list[date]}
"""Types of parameters that JSON gives in another form."""


def _question(ask: Callable[..., Any], opening: Opening, without: Sequence[str]) -> Tool:
    """Return a function of `analytics` as a tool: views are `Which`, and the answer has the rows of its table."""
    signature = inspect.signature(ask, eval_str=True)
    views = [name for name, one in signature.parameters.items() if one.annotation is Scans]
    parameters = [
        one.replace(annotation=IN_JSON.get(one.annotation, one.annotation))
        for name, one in signature.parameters.items()
        if name not in without
    ]

    def tool(**given: Any) -> Answer:
        with opening() as portfolio:
            return _rows(ask(**given | {name: given[name].of(portfolio) for name in views}))

    tool.__name__, tool.__doc__ = ask.__name__, ask.__doc__
    tool.__signature__ = signature.replace(parameters=parameters, return_annotation=Answer)  # type: ignore[attr-defined]
    tool.__annotations__ = {one.name: one.annotation for one in parameters}
    return tool


def _rows(frame: Any) -> Answer:
    """Return the rows of a table; times are in UTC, and missing values are null."""
    rows = json.loads(frame.head(MOST_ROWS).to_json(orient="records", date_format="iso", date_unit="s"))
    return _counted(rows, len(frame))


def _counted(rows: Sequence[Mapping[str, Any]], number: int) -> Answer:
    return {"rows": rows} | ({"left_out": number - len(rows)} if number > len(rows) else {})


class Reader:
    """The tools that are no questions to scans and change nothing."""

    def __init__(self, opening: Opening) -> None:
        self._opened = opening

    def make_code(self, design: Answer) -> Answer:
        """Draw a QR Code that is not tracked. Returns its svg, what makes it hard to scan (fault), and warnings.

        Args:
            design: The fields of a design, as for `POST /api/v3/generate`: content (a text, or an object with a kind,
                such as wifi), foreground, background (such as #1a2b3c), ec (L, M, Q, H), size (pixels per module),
                padding (modules), template (one of this store), modules, markers, layers and more.
        """
        image, warnings = self._image(design)
        fault = image.check("standard").fault
        return {"svg": image.to_bytes("svg").decode(), "fault": fault, "warnings": warnings}

    def check_code(self, design: Answer, level: Literal["static", "quick", "standard"] = "standard") -> Answer:
        """Check whether phones can scan a QR Code, in simulated captures, and what would help.

        Returns verdict (robust, ok, fragile, unreadable), score (0..100), issues with their fixes, the least width of a
        print (millimeters) that a phone reads when held close, and more.

        Args:
            design: See `make_code`.
            level: How thorough: static measures the drawing, quick asks readers in 6 conditions, standard in 12.
        """
        image, warnings = self._image(design)
        found = image.check(level)
        return found.as_dict() | {"leastWidthMm": found.least_width_mm(), "warnings": warnings}

    def _image(self, design: Answer) -> tuple[QRImage, list[str]]:
        from qrkit.pictures.generate_request import read_post
        from qrkit.pictures.image import QRImage

        with self._opened() as portfolio:
            asked = read_post(design, portfolio.templates.get)
        image = QRImage(asked.design)
        return image, [*image.warnings, *(f"{name} is no field of a design, and was ignored" for name in asked.unknown)]

    def list_codes(self, search: str = "", campaign: str | None = None, most: int = 100) -> Answer:
        """List QR Codes, oldest first: short code, name, campaign, content, scans, short URL and more.

        Args:
            search: A text in their short URL, name, content, comment, address, tags or fields; "" finds all.
            campaign: Only those of the campaign with this name or ID.
            most: Maximum number of rows, 1..1,000; left_out says how many more there are.
        """
        check_whole("most", most, 1, MOST_ROWS)
        with self._opened() as portfolio:
            campaign_id = None if campaign is None else portfolio.find_campaign(campaign).id
            found = portfolio.search_qrcodes(search, campaign_id=campaign_id)
            return _counted(_shown(portfolio, found[:most]), len(found))

    def show_code(self, code: str) -> Answer:
        """Return the whole record of a QR Code: rules, schedule, limits, fields, location and more.

        Args:
            code: Short code, short URL, name or ID.
        """
        with self._opened() as portfolio:
            record: Answer = json.loads(portfolio.find_qrcode(code).to_json(), object_hook=_without_secrets)
        if not record["isDynamic"]:
            del record["imageUrl"]  # it contains the content
        return record

    def list_campaigns(self) -> Answer:
        """List the campaigns, oldest first: name, number of QR Codes and of scans, description, ID and more."""
        with self._opened() as portfolio:
            rows = campaign_rows(portfolio)
        return _counted(rows[:MOST_ROWS], len(rows))

    def report(self, which: Which = ALL, language: LanguageTag = "en") -> Answer:
        """Summarize what happened in a period, in sentences, the most important first, each with its certainty.

        Args:
            which: The period, and a campaign or all; a report is not about single QR Codes or tags.
            language: Language of the sentences.
        """
        from qrkit import report

        for name in ("code", "tag"):
            if (given := getattr(which, name)) is not None:
                raise InvalidParameter(Problem(f"which.{name}", given, "is not for reports"))
        with self._opened() as portfolio:
            asked = period_of(which, portfolio) | {"language": language}
            if which.campaign is None:
                made = report.portfolio(portfolio, **asked)
            else:
                made = report.campaign(portfolio, portfolio.find_campaign(which.campaign).id, **asked)
        return {"title": made.title, "period": made.period, "words": list(made.words)}


class Writer:
    """The tools that change the store."""

    def __init__(self, opening: Opening) -> None:
        self._opened = opening

    def add_code(
        self, content: str, name: str = "", campaign: str | None = None, short_code: str = "", tags: Sequence[str] = ()
    ) -> Answer:
        """Add a tracked QR Code; its picture encodes the short URL, which leads to the content.

        Args:
            content: Where the short URL leads: a URL, or a text to show.
            name: Its name; by default made from the content.
            campaign: Name or ID of an existing campaign.
            short_code: The end of the short URL; by default a random one.
            tags: Words to find and group it by.
        """
        with self._opened() as portfolio:
            campaign_id = None if campaign is None else portfolio.find_campaign(campaign).id
            code = portfolio.insert_qrcode(
                content, name=name, campaign_id=campaign_id, short_code=short_code, tags=list(tags)
            )
            return _changed(portfolio, code)

    def change_code(
        self, code: str, content: str | None = None, name: str | None = None, campaign: str | None = None
    ) -> Answer:
        """Change a QR Code; printed codes keep working, and lead to the new content at once.

        Args:
            code: Short code, short URL, name or ID.
            content: The new content; null keeps it.
            name: The new name; null keeps it.
            campaign: Name or ID of another campaign; "" for none, null keeps it.
        """
        with self._opened() as portfolio:
            campaign_id = portfolio.find_campaign(campaign).id if campaign else campaign
            id = portfolio.find_qrcode(code).id
            return _changed(portfolio, portfolio.update_qrcode(id, content=content, name=name, campaign_id=campaign_id))

    def remove_code(self, code: str) -> Answer:
        """Remove a QR Code for good: its short URL leads nowhere from then on. Ask the person first.

        Args:
            code: Short code, short URL, name or ID.
        """
        with self._opened() as portfolio:
            found = portfolio.find_qrcode(code)
            rows = _shown(portfolio, [found])
            portfolio.delete_qrcode(found.id)
        return {"removed": rows[0]}

    def add_campaign(self, name: str, description: str = "") -> Answer:
        """Add a campaign, which groups QR Codes.

        Args:
            name: Its name.
            description: What it is about.
        """
        with self._opened() as portfolio:
            return {"id": portfolio.insert_campaign(name, description=description).id, "name": name}


def _shown(portfolio: Portfolio, codes: Sequence[QRCode]) -> list[Answer]:
    """Return the rows of QR Codes without secrets."""
    return [{**row, "content": summary(row["content"])} for row in code_rows(portfolio, codes)]


def _without_secrets(record: Answer) -> Answer:
    """Shorten contents, also in rules and schedules, as elsewhere, and say only that there is a password."""
    shown: dict[str, Callable[[Any], Any]] = {"content": summary, "otherwise": summary, "password": bool}
    return {name: shown[name](value) if name in shown and value else value for name, value in record.items()}


def _changed(portfolio: Portfolio, code: QRCode) -> Answer:
    return _shown(portfolio, [code])[0] | {"warning": link_warning(code.content) if code.is_dynamic else ""}
