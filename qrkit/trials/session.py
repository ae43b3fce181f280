"""What happens in a trial: which phones take part, which code the screen shows, and who has read it."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable
from functools import cache
from threading import Condition
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeAlias

from qrkit.store.recording.user_agents import parse_user_agent
from qrkit.trials.changed_contents import Subject
from qrkit.trials.ladder import LADDER, Shown, Step, show
from qrkit.trials.trial_result import PhoneResult, TrialResult

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
    so that both are read from the same distance in the same light. A code is shown for `seconds` to phones that do not
    read it. `screen` is CSS pixels per millimeter; None if the screen was not measured.
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
        """Note that a phone has opened the address of a code; None if there is no such code, or no trial any more."""
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
