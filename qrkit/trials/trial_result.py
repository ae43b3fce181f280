"""Provides `TrialResult`: which steps each phone has read, as a table, as sentences, as JSON and as a page to keep."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from jinja2 import Environment, StrictUndefined, Template

from qrkit.design.design import Design
from qrkit.late import pd
from qrkit.scanning.scan_report import ScanReport
from qrkit.store.records import trial_rows
from qrkit.symbol.decode import Readable
from qrkit.trials.changed_contents import look_of
from qrkit.trials.ladder import Step

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio


Seconds: TypeAlias = "Sequence[float | None]"
"""How long a phone took in each step, from easy to hard; None if it did not read the code in time."""


def count(seconds: Seconds) -> str:
    """Return how many codes were read, such as "11 of 12"."""
    return f"{sum(one is not None for one in seconds)} of {len(seconds)}"


@dataclass(frozen=True, slots=True)
class PhoneResult:
    """What a phone has read.

    Attributes:
        name: The model or, if its browser does not tell, the system; further phones of a name are numbered.
        design: Seconds until it read the code, in each step that was shown; None if it did not.
        plain: The same of the plain code.
    """

    name: str
    design: Seconds
    plain: Seconds

    def __str__(self) -> str:
        read = [seconds for seconds in self.design if seconds is not None]
        times = f"; {median(read):.1f} s in the median" if read else ""
        return f"{self.name}: {count(self.design)}, plain {count(self.plain)}{times}"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial.

    Attributes:
        content: The content of the code.
        symbol: Version and error correction level of the codes that the phones saw, such as 3-M.
        screen: CSS pixels per millimeter of the screen; None if it was not measured.
        steps: The steps, from easy to hard.
        phones: The phones, in the order in which they came.
    """

    content: str
    symbol: str
    screen: float | None
    steps: Sequence[Step]
    phones: Sequence[PhoneResult]

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each phone, code and step that is over.

        Columns: phone (its name), code (design or plain), step (1..12), condition (size, blur, contrast, tilt or dark),
        strength (of size, millimeters per module; of blur, modules; of contrast, the share that is left, 0..1; of tilt,
        degrees; of dark, the standard deviation of the noise in grays, 0..255), is_read, seconds (from the moment when
        the screen shows the code; NaN if it was not read in time). phone, code and condition are str, step is int64,
        is_read bool, strength and seconds are float64.
        """
        rows = [
            (phone.name, code, number, *step, seconds is not None, seconds)
            for phone in self.phones
            for code in ("design", "plain")
            for number, (step, seconds) in enumerate(zip(self.steps, getattr(phone, code), strict=False), start=1)
        ]
        kinds = {"phone": "str", "code": "str", "step": "int64", "condition": "str", "strength": "float64"}
        kinds |= {"is_read": "bool", "seconds": "float64"}
        return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON: `content`, `symbol`, `screen`, `steps` and `phones`, as in the attributes."""
        return asdict(self) | {"steps": [step._asdict() for step in self.steps]}

    @property
    def finding(self) -> str:
        """The result in one sentence."""
        if not self.phones:
            return "No phone took part"
        who = self.phones[0].name if len(self.phones) == 1 else f"{len(self.phones)} phones"
        design = count([*chain.from_iterable(phone.design for phone in self.phones)])
        plain = count([*chain.from_iterable(phone.plain for phone in self.phones)])
        return f"{who} read {design} codes, and {plain} plain ones"

    def __str__(self) -> str:
        return "\n".join(map(str, self.phones)) or self.finding

    def page(self, picture: bytes) -> str:
        """Return an HTML page, which loads nothing.

        Args:
            picture: The code, as PNG.
        """
        image = f"data:image/png;base64,{b64encode(picture).decode()}"
        return page_named("result").render(result=self, image=image)


@cache
def page_named(name: str) -> Template:
    """Return the template of a page, which knows the CSS of all pages of a trial."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    sources = ("qrkit.server.pages", "theme.css"), ("qrkit.trials", "trial.css"), ("qrkit.trials", f"{name}.html.jinja")
    *styles, page = (files(folder).joinpath(file).read_text(encoding="utf-8") for folder, file in sources)
    return environment.from_string(page, {"css": "".join(styles)})


def keep(portfolio: Portfolio, subject: Design | Readable, result: TrialResult) -> None:
    """Keep the result of a trial; see `Trial.keep`."""
    text = json.dumps(result.as_dict(), ensure_ascii=False)
    trial_rows.add(portfolio.store, portfolio.account.id, look_of(subject), result=text, created=portfolio.now())


def beside(portfolio: Portfolio, subject: Design | Readable, report: ScanReport) -> str | None:
    """Return the verdict of a check beside what your own phones have read in trials that were kept.

    Args:
        portfolio: Where the trials were kept.
        subject: The design, whose content does not matter; or the file of a picture, or its bytes.
        report: What a check says about it.

    Returns:
        A sentence; None if no trial was kept. Of several trials with a phone, the latest counts.

    Raises:
        InvalidParameter: If the subject is a picture that is neither a file nor its bytes.

    Example:
        >>> from qrkit import Design, check, open_portfolio
        >>> design = Design(content="https://example.com")
        >>> with open_portfolio(":memory:") as shop:
        ...     print(beside(shop, design, check(design, "static")))
        None
    """
    kept = map(json.loads, trial_rows.of_look(portfolio.store, portfolio.account.id, look_of(subject)))
    phones = {phone["name"]: phone["design"] for result in kept for phone in result["phones"]}
    who = "your phone" if len(phones) == 1 else f"your {len(phones)} phones"
    read = count([*chain.from_iterable(phones.values())])
    return f"simulated: {report.verdict}; {who}: {read}" if phones else None
