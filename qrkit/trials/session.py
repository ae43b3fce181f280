"""What happens in a trial: which phones take part, which code the screen shows, who has read it, and the result."""

from __future__ import annotations

import json
import secrets
import string
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from statistics import median
from threading import Condition
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from jinja2 import Environment, StrictUndefined, Template

from qrkit.store.recording.user_agents import parse_user_agent
from qrkit.store.records import trial_rows
from qrkit.trials.changed_contents import Subject, look_of
from qrkit.trials.ladder import LADDER, Shown, Step, show

if TYPE_CHECKING:
    import pandas as pd

    from qrkit.design.design import Design
    from qrkit.portfolio import Portfolio
    from qrkit.scanning.scan_report import ScanReport
    from qrkit.symbol.decode import Readable


Said: TypeAlias = Literal["joined", "seen", "over", "full"]
"""The answer to a phone that opened the address of a code: it takes part now, has read the code, is late, or is one too
many."""

ALPHABET = string.ascii_uppercase + string.digits
ID_LENGTH = 13
"""Number of characters of an ID. They have 67 bits in all, and alphanumeric mode encodes each in 5.5 bits."""

MOST_PHONES = 12
LONGEST_AGENT = 512
MOST_WAITING = 8
"""Pages that may wait for news at once; further ones are answered at once."""
POLL_SECONDS = 20.0
Seconds: TypeAlias = "Sequence[float | None]"
"""How long a phone took in each step, from easy to hard; None if it did not read the code in time."""


def new_id() -> str:
    """Return an ID that nobody can guess."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


class Round(NamedTuple):
    """One code on the screen: its step, the ID in its address, and what draws it."""

    step: Step
    id: str
    shown: Callable[[], Shown]


class Phone(NamedTuple):
    """A phone that takes part: its name, and the seconds that it took, by number of the round."""

    name: str
    seconds: dict[int, float]


class Session:
    """The state of a trial, for threads that answer phones and for those that answer the page.

    In round 0, phones join by scanning a plain code. Odd rounds show the code that is tried, even ones the plain one,
    so that both are read from the same distance in the same light.

    Args:
        subject: The code to try.
        url: The beginning of the address of a code.
        seconds: How long a code is shown to phones that do not read it.

    Attributes:
        screen: CSS pixels per millimeter; None if the screen was not measured.
    """

    def __init__(self, subject: Subject, url: str, seconds: float) -> None:
        def next_round(step: Step, draw: Callable[[str], Any]) -> Round:
            id = new_id()
            return Round(step, id, cache(lambda: show(draw(url + id), step)))

        self._subject, self._seconds = subject, seconds
        tried = [next_round(step, draw) for step in LADDER for draw in (subject.design, subject.plain)]
        self._rounds = [next_round(LADDER[0], subject.plain), *tried]
        self._changed, self._phones = Condition(), dict[tuple[str, str], Phone]()
        self._at = self._revision = self._waiting = 0
        self._shown_at: float | None = None
        self.screen: float | None = None

    @property
    def is_done(self) -> bool:
        """Whether all codes were shown, or the trial was stopped."""
        return self._at >= len(self._rounds)

    def scan(self, id: str, address: str, agent: str) -> Said | None:
        """Note that a phone has opened the address of a code; None if there is no such code, or no trial any more.

        Args:
            id: The ID in the address.
            address: The IP address of the phone. Together with the user agent, it tells phones apart.
            agent: The user agent.
        """
        with self._changed:
            number = next((number for number, one in enumerate(self._rounds) if one.id == id), None)
            self._give_up_late()
            if number is None or self.is_done:
                return None
            phone = self._phones.get((address, agent))
            if phone is None:
                return self._join(address, agent) if number == self._at == 0 else "over"
            if number == self._at and number not in phone.seconds and self._shown_at is not None:
                phone.seconds[number] = monotonic() - self._shown_at
                self._tell()
                if all(number in one.seconds for one in self._phones.values()):
                    self._go_on()
            return "over" if number not in phone.seconds else "seen" if number else "joined"

    def _join(self, address: str, agent: str) -> Said:
        if len(self._phones) == MOST_PHONES:
            return "full"
        model = _model(agent[:LONGEST_AGENT])
        same = sum(phone.name.partition(" (")[0] == model for phone in self._phones.values())
        self._phones[address, agent] = Phone(f"{model} ({same + 1})" if same else model, {0: 0.0})
        self._tell()
        return "joined"

    def go_on(self, number: int) -> None:
        """Show the next code, or give up on the one that is shown, if a phone takes part."""
        with self._changed:
            if number == self._at and self._phones and not self.is_done:
                self._go_on()

    def stop(self) -> None:
        """End the trial. The code on the screen does not count."""
        with self._changed:
            del self._rounds[self._at :]
            self._tell()

    def picture(self, number: int) -> bytes | None:
        """Return the PNG of the code that is shown now, which begins its time; None for any other number."""
        with self._changed:
            if number != self._at or self.is_done:
                return None
            png = self._rounds[number].shown().png
            self._shown_at = self._shown_at or monotonic()
            return png

    def wait(self, revision: int) -> dict[str, Any]:
        """Wait a while until something has happened after a revision, and return what the page shows."""
        with self._changed:
            self._waiting += 1
            if self._waiting <= MOST_WAITING:
                self._changed.wait_for(lambda: self._revision != revision, min(POLL_SECONDS, self._left()))
            self._waiting -= 1
            self._give_up_late()
            phones = [{"name": one.name, "seconds": one.seconds.get(self._at)} for one in self._phones.values()]
            state = {"revision": self._revision, "isDone": self.is_done, "number": self._at, "phones": phones}
            if self.is_done:
                return state
            now = self._rounds[self._at]
            return state | {"step": now.step.label, "pixelMm": now.shown().pixel_mm}

    def wait_until_done(self, seconds: float | None) -> bool:
        """Wait until the trial has ended; return False if it has not after this many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self.is_done, seconds)

    def result(self) -> TrialResult:
        """Return what is known so far."""
        with self._changed:
            phones = [
                PhoneResult(name, *([seconds.get(number) for number in range(first, self._at, 2)] for first in (1, 2)))
                for name, seconds in self._phones.values()
            ]
            return TrialResult(self._subject.content, self._subject.name, self.screen, LADDER, phones)

    def _left(self) -> float:
        """Return the seconds until the code on the screen is given up; people may take any time to join."""
        if self._shown_at is None or self._at == 0:
            return POLL_SECONDS
        return max(0.0, self._shown_at + self._seconds - monotonic())

    def _give_up_late(self) -> None:
        if not self._left():
            self._go_on()

    def _go_on(self) -> None:
        self._at, self._shown_at = self._at + 1, None
        self._tell()

    def _tell(self) -> None:
        self._revision += 1
        self._changed.notify_all()


def _model(agent: str) -> str:
    """Return the model of a phone or, if its browser keeps that to itself, its system."""
    parsed = parse_user_agent(agent)
    if parsed.device_model and not (parsed.manufacturer or "Generic").startswith("Generic"):
        return parsed.device_model
    return f"{parsed.system or 'Unknown'} {parsed.device.replace('unknown', 'device')}"


# ---- results


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
        import pandas as pd

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
