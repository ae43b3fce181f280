"""`trial`: serves a trial on the local network until its phones have seen every step."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from qrkit.design.design import Design
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.server.clients.hosts import listening_at, reachable
from qrkit.server.settings import Settings
from qrkit.symbol.decode import Readable
from qrkit.trials.changed_contents import subject_of
from qrkit.trials.ladder import LADDER, show
from qrkit.trials.session import Session, new_id
from qrkit.trials.trial_pages import TrialPages
from qrkit.trials.trial_result import TrialResult, keep

if TYPE_CHECKING:
    import pandas as pd

    from qrkit.portfolio import Portfolio


PORT = 8700
"""A short number, so that addresses fit into small codes; and always the same, for firewalls."""
THREADS = 24
"""Threads that answer: each page that waits for news holds one."""
MOST_SECONDS = 600
TOLD_SECONDS = 5.0
"""How long a trial that is done waits for its page to take the result."""
EVERYWHERE = ("0.0.0.0", "::")
"""Hosts to listen on that are no addresses."""
ELSEWHERE = "192.0.2.1", 9
"""An address that nobody has (RFC 5737); choosing the way to it sends nothing."""


def local_address() -> str:
    """Return the IP address of this computer in its network, or 127.0.0.1 if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way, suppress(OSError):
        way.connect(ELSEWHERE)
        return str(way.getsockname()[0])
    return "127.0.0.1"


def trial(
    subject: Design | Readable,
    /,
    *,
    host: str | None = None,
    port: int = PORT,
    seconds: float = 20.0,
    pause: float = 2.0,
) -> Trial:
    """Serve a page that tries a code with real phones, step by step: smaller, blurred, pale, tilted, dark.

    Open `address` on a screen, and scan what it shows with phones on the same network. Each code contains an address of
    this server that nobody can guess, in a symbol of the same version, error correction level and mask. The page moves
    on when all phones have read a code, when its time is over, or when you skip it; keep it open. A plain code follows
    each.

    A design is drawn anew for each address. A picture, in grays, gets the modules of another symbol where they differ,
    taken from elsewhere in it; a logo stays. If an address does not fit into the version of a design, phones see the
    next larger one, and the page says so; a picture is refused.

    Args:
        subject: A design; or a picture in any form that `qrkit.decode` takes, such as the path of a file. For a text,
            pass `Design(content=text)`.
        host: The IP address or name of this computer under which phones reach it; by default, its address in the local
            network.
        port: The port to listen on, which the firewall of this computer must let through; 0 for a free one.
        seconds: How long a code is shown to phones that do not read it, 1..600.
        pause: How long the screen is empty between two codes, so that people can aim, 0..600 seconds. It does not
            count.

    Raises:
        InvalidParameter: If a number is out of range, the host or port cannot be used, the code is a Micro QR Code, or
            the code in a picture cannot get another content.
        UnreadableFile: If the picture cannot be read.
        NoSymbol: If the picture shows no QR Code.
        AssetError: If an image in the design is invalid.
    """
    return Trial(subject, host or local_address(), port, seconds, pause)


class Trial:
    """A trial that is served; `trial` creates it. It ends with its `with` block, with `close`, or with the program.

    Attributes:
        address: The address of the page, with a token that ends with the trial. Keep it to yourself.
        note: What had to change in the code; an empty text if nothing did.
    """

    def __init__(self, subject: Design | Readable, host: str, port: int, seconds: float, pause: float) -> None:
        from qrkit.server.sockets.http_server import listen

        for name, value, least in (("seconds", seconds, 1), ("pause", pause, 0)):
            if not least <= value <= MOST_SECONDS:
                rule = f"must be in {least}..{MOST_SECONDS} seconds"
                raise InvalidParameter(Problem(name, value, rule, "out-of-range"))
        settings = Settings(host=host, port=port, threads=THREADS, access_log=False)
        with listening_at(host, port):
            self._server = listen(lambda environ, start: self._pages(environ, start), settings)
        name = local_address() if host in EVERYWHERE else reachable(host)
        place = f"http://{name}:{self._server.port}/"
        try:
            # Browsers take scheme and host in any case, and a QR Code holds capital letters in fewer bits.
            self._tried, self._subject = subject, subject_of(subject, place.upper() + new_id())
            self._session = Session(self._subject, place.upper(), seconds)
        except BaseException:
            self._server.shut()
            raise
        self._pages = TrialPages(self._session, self._subject.note, pause, self._page)
        self.address, self.note = f"{place}{self._pages.token}/", self._subject.note
        self._thread = threading.Thread(target=self._server.run, name="qrkit-trial", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Trial: {self.result.finding}>"  # without the address, whose token is a secret

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all codes were shown, or the page has stopped the trial, and until the page has the result.

        Args:
            seconds: Maximum number of seconds to wait; None for no limit.

        Returns:
            Whether the trial is done.
        """
        is_done = self._session.wait_until_done(seconds)
        if is_done:
            self._pages.is_told.wait(TOLD_SECONDS)
        return is_done

    @property
    def result(self) -> TrialResult:
        """What is known so far: the phones, and the seconds that each took for each step that is over."""
        return self._session.result()

    def results(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each phone, code and step that is over.

        Columns: those of `TrialResult.frame`: phone, code, condition (str), step (int64), strength, seconds (float64)
        and is_read (bool).
        """
        return self.result.frame()

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as JSON, with the names of `TrialResult`; null where a phone has not read a code."""
        return json.dumps(self.result.as_dict(), ensure_ascii=False, indent=indent)

    def save(self, path: str | Path) -> None:
        """Write the result as an HTML page, which loads nothing.

        Raises:
            CannotWrite: If the file cannot be written.
        """
        write_file(Path(path), self._page().encode("utf-8", "replace"))

    def keep(self, portfolio: Portfolio) -> None:
        """Keep the result in a store, so that `beside` finds it for the same design or the same file.

        Raises:
            InvalidParameter: If the picture that was tried is neither a file nor its bytes.
            StoreReadOnly: If the store is a snapshot.
        """
        keep(portfolio, self._tried, self.result)

    def close(self) -> None:
        """End the trial: its addresses lead nowhere from now on."""
        self._session.stop()
        self._server.ask_to_stop()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _page(self) -> str:
        return self.result.page(show(self._subject.picture, LADDER[0]).png)
