"""Implements `qrkit studio` and `qrkit console`."""

from __future__ import annotations

import argparse
import os
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.output import complain, tell_of_local_urls
from qrkit.commands.parsing import Parser
from qrkit.commands.stores import add_base_url, add_store, is_missing, opened, shown_place
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import LANGUAGES, in_language, say
from qrkit.server.settings import CONSOLE_VARIABLE

if TYPE_CHECKING:
    from qrkit.notebook.console.sessions import Sessions


GUIDE = "https://github.com/qrkit/qrkit/blob/main/.github/console.md"
"""How a team shares a console."""
MOST_CONNECTIONS = 64
"""Maximum number of connections to the store; an open page uses one or two."""
IDLE_SECONDS = 7 * 86_400
"""How long an open page may be left alone before it loses its connection to the store."""


def define_studio(one: Parser) -> None:
    """Define the command `studio`."""
    one.add_argument("content", nargs="?", metavar="CONTENT", help="what the QR Code contains (https://example.com)")
    _add_where(one.add_argument_group("where"))
    one.set_defaults(run=_studio)


def define_console(one: Parser) -> None:
    """Define the command `console`."""
    where = one.add_argument_group("what and where")
    add_store(where)
    add_base_url(where)
    sign_in = "people sign in with an API key, and see the QR Codes of its account"
    where.add_argument("--sign-in", action="store_true", help=sign_in)
    _add_where(where)
    one.set_defaults(run=_console)


def _add_where(where: argparse._ArgumentGroup) -> None:
    where.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (127.0.0.1)")
    where.add_argument("--port", type=port_number, metavar="N", help="port to listen on (the first free one from 8866)")
    hosts = "another host name by which the console is reached, such as that of a proxy; may be repeated"
    where.add_argument("--hosts", action="append", default=[], metavar="NAME", help=hosts)
    where.add_argument("--language", default="en", choices=LANGUAGES, help="language of the page (en)")
    where.add_argument("--no-open", action="store_true", help="do not open a browser")


def port_number(text: str) -> int:
    """Return the port that an option names."""
    if text.isdecimal() and int(text) <= 65_535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port; use a number from 0 to 65535")


def _studio(asked: argparse.Namespace) -> None:
    if asked.content:
        from qrkit.symbol.encode import encode

        encode(asked.content)  # refuses here what is too long, before a page opens
    call = f"show_studio({asked.content or ''!r}, {asked.language!r})"
    with in_language(asked.language):
        title, opening = say("QR Code studio"), say("Opening the studio…")
    _run(asked, call, "the studio", title=title, opening=opening)


def _console(asked: argparse.Namespace) -> None:
    from qrkit.store.door import Door
    from qrkit.store.served.database import ServedStore
    from qrkit.store.served.socket_files import has_sockets

    place, is_new = shown_place(asked.store), is_missing(asked.store)
    with in_language(asked.language):
        title, opening = f"{Path(place).name} · {say('QR Codes')}", say("Opening your portfolio…")
    with ExitStack() as open_things:
        portfolio = open_things.enter_context(opened(asked))
        if is_new:
            print(f"made the store {place}")
        tell_of_local_urls(asked.command, portfolio)
        location = portfolio.store.lasting_path
        may_move = not isinstance(portfolio.store, ServedStore)
        sessions, account = None, ""
        if asked.sign_in:
            if portfolio.store.database.is_file and not has_sockets():
                rule = "needs a PostgreSQL database here, because only one process can have a file open"
                raise InvalidParameter(Problem("sign_in", None, rule))
            from qrkit.notebook.console.sessions import Sessions

            sessions, account = Sessions(portfolio.store), ", os.environ['HTTP_X_QRKIT_ACCOUNT']"
        if has_sockets():
            door = Door(portfolio.store, most_callers=MOST_CONNECTIONS, idle_seconds=IDLE_SECONDS)
            open_things.enter_context(door)
        else:
            portfolio.close()  # only one process can have the file, and that is the one behind the page
        _run(
            asked,
            f"show_console({location!r}{account}, may_move={may_move}, language={asked.language!r})",
            place,
            sessions=sessions,
            title=title,
            opening=opening,
        )


def _run(
    asked: argparse.Namespace, call: str, what: str, *, title: str, opening: str, sessions: Sessions | None = None
) -> None:
    """Serve a page that shows what a function of `pages.py` shows."""
    print(f"starting {what}…", flush=True)  # the imports take a second or two
    from qrkit.notebook.console.server import Console, run_console

    def ready(url: str) -> None:
        if not asked.host.startswith(("127.", "localhost", "::1")):
            complain(asked.command, f"the connection is not encrypted; {GUIDE} shows how to put a proxy in front")
        print(f"{what} at {url} (Ctrl-C stops)", flush=True)
        if not asked.no_open:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()  # some browsers keep it waiting

    console = Console(
        code=f"import os\nfrom qrkit.notebook.console import pages\npages.{call}",
        title=title,
        opening=opening,
        host=asked.host,
        port=asked.port,
        hosts=tuple(asked.hosts),
        token=os.environ.get(CONSOLE_VARIABLE, ""),
        sessions=sessions,
        language=asked.language,
    )
    run_console(console, ready)
