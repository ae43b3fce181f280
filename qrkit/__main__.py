"""The command line: `qrkit …` or `python -m qrkit …`. It holds no rule; it calls what a notebook calls."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qrkit import access
from qrkit.decode import decode
from qrkit.design import Design
from qrkit.errors import BadRequest, InvalidParameter, NotFound, Problem, QrkitError, UnreadableFile
from qrkit.exchange import EXCHANGE_FORMATS
from qrkit.exchange.merge import ImportResult
from qrkit.exchange.zip_file import IMAGE_FORMATS
from qrkit.image import QRImage
from qrkit.limits import FORMATS, TEXT_STYLES, TextStyle
from qrkit.portfolio import DEFAULT_BASE_URL, Portfolio, open_portfolio
from qrkit.reading import json_object
from qrkit.records import PLANS
from qrkit.store import Store
from qrkit.times import from_iso, now, to_iso

__all__ = ["main"]

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

DEFAULT_STORE = "qrkit.duckdb"
MOST_ISSUES = 20
CONTROLS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"
EXAMPLES = """
examples:
  qrkit generate "https://example.com" -o poster.svg --ec H
  qrkit generate "https://example.com" -o poster.pdf --design brand.json
  qrkit decode poster.png
  qrkit import posters.csv --store shop.duckdb --base-url https://go.example.com
  qrkit serve --store shop.duckdb --base-url https://go.example.com
  qrkit account key local --store shop.duckdb
  qrkit report --store shop.duckdb -o report.html
  qrkit demo
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give the exit status: 0, 2 when something was refused, 130 when it was interrupted."""
    parsed = _parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what a console cannot show is no reason to stop
    try:
        parsed.run(parsed)
    except QrkitError as error:
        # One line, whatever a file called its fields: control characters can do things to a terminal.
        print(f"qrkit {parsed.command}: {re.sub(CONTROLS, ' ', str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has seen enough.
        sys.stderr.close()
    except KeyboardInterrupt:
        print(f"qrkit {parsed.command}: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"qrkit {parsed.command}: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qrkit",
        description="Design QR Codes, make them trackable, and understand the scans.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"qrkit {version('qrkit-studio')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    _add_generate(commands)
    _add_decode(commands)
    _add_exchange(commands)
    _add_serve(commands)
    _add_account(commands)
    _add_report(commands)
    _add_demo(commands)
    return parser


def _add_generate(commands: Commands) -> None:
    one = commands.add_parser("generate", help="draw one QR Code")
    one.add_argument("content", nargs="?", help="text to encode; may be left out when --design has one")
    one.add_argument("--design", type=Path, metavar="FILE", help="a design as JSON, as Design.to_json writes it")
    one.add_argument("-o", "--output", type=Path, help="file to write; without it the code is shown as text")
    one.add_argument("--format", help=f"one of {', '.join(FORMATS)}; by default the suffix of the file says it")
    one.add_argument("--style", choices=TEXT_STYLES, default="blocks", help="how the code is shown as text")
    for name, what in (
        ("size", "pixels per module, 1..20 (8)"),
        ("padding", "quiet zone in modules, 0..20 (4)"),
        ("version", "1..40 (the smallest that fits)"),
    ):
        one.add_argument(f"--{name}", type=int, help=what)
    for name, what in (
        ("em", "encoding mode: byte, numeric, alphanumeric or auto (byte)"),
        ("ec", "error correction: L, M, Q or H (M)"),
        ("foreground", "colour of dark modules, #AARRGGBB or a name (black)"),
        ("background", "colour of everything else (white)"),
    ):
        one.add_argument(f"--{name}", help=what)
    one.set_defaults(run=_generate)


def _generate(asked: argparse.Namespace) -> None:
    names = ("size", "padding", "version", "em", "ec", "foreground", "background")
    fields = {name: getattr(asked, name) for name in ("content", *names) if getattr(asked, name) is not None}
    image = QRImage(Design(**(_design_fields(asked.design) | fields)))
    for warning in image.warnings:
        print(f"qrkit generate: {warning}", file=sys.stderr)
    is_text = (asked.format or (asked.output or Path()).suffix[1:]).lower() == "txt"
    if asked.output and is_text:
        asked.output.write_text(image.to_text(asked.style), encoding="utf-8", newline="\n")
    elif asked.output:
        image.save(asked.output, asked.format)
    elif asked.format:
        sys.stdout.buffer.write(image.to_text(asked.style).encode() if is_text else image.to_bytes(asked.format))
    else:
        sys.stdout.write(_printable(image, asked.style))
    if asked.output:
        print(f"{asked.output}: {image!r}")


def _design_fields(file: Path | None) -> dict[str, Any]:
    """The fields that a file of a design holds, if there is one."""
    if file is None:
        return {}
    try:
        return json_object(file.read_bytes())
    except BadRequest as error:
        raise UnreadableFile(f"{file}: {error}") from error


def _printable(image: QRImage, style: TextStyle) -> str:
    """The symbol in this style, or in letters where the output has no blocks, as of old consoles."""
    text = image.to_text(style)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return image.to_text("ascii")
    return text


def _add_decode(commands: Commands) -> None:
    one = commands.add_parser("decode", help="read the QR Code in a picture")
    one.add_argument("picture", type=Path, nargs="+", help="png, jpg, bmp, tif, gif or webp files")
    one.set_defaults(run=_decode)


def _decode(asked: argparse.Namespace) -> None:
    for picture in asked.picture:
        print(decode(picture).content)


def _add_exchange(commands: Commands) -> None:
    one = commands.add_parser("import", help="add the QR Codes of a file to a store")
    one.add_argument("file", type=Path, help=f"one of {', '.join(EXCHANGE_FORMATS)}; its first bytes decide")
    _add_store(one)
    one.set_defaults(run=_import)
    one = commands.add_parser("export", help="write all QR Codes of a store to a file")
    one.add_argument("file", type=Path, help=f"its suffix says the format: {', '.join(EXCHANGE_FORMATS)}")
    one.add_argument(
        "--image-format", choices=IMAGE_FORMATS, default="png", help="of the pictures in a zip (%(default)s)"
    )
    _add_store(one)
    one.set_defaults(run=_export)


def _import(asked: argparse.Namespace) -> None:
    if not asked.store.exists():
        # A file that cannot be read must not leave a new, empty store behind.
        with open_portfolio(":memory:") as trial:
            trial.import_file(asked.file)
    with _opened(asked) as portfolio:
        result = portfolio.import_file(asked.file)
    _tell(result)
    print(f"{asked.file}: {result}")


def _tell(result: ImportResult) -> None:
    """Name what an import skipped or changed, on the error stream; the first of many."""
    for issue in result.issues[:MOST_ISSUES]:
        print(f"row {issue.row}: {issue.error}", file=sys.stderr)
    if len(result.issues) > MOST_ISSUES:
        print(f"… and {len(result.issues) - MOST_ISSUES} more", file=sys.stderr)


def _export(asked: argparse.Namespace) -> None:
    with _opened(asked, must_exist=True) as portfolio:
        file = portfolio.export_file(asked.file, image_format=asked.image_format)
        print(f"{file}: {len(portfolio.list_qrcodes())} QR Codes")


def _add_serve(commands: Commands) -> None:
    one = commands.add_parser(
        "serve",
        help="serve the HTTP interface and the short URLs of a store",
        epilog="Each of these may be set in the environment, as QRKIT_PORT=80; lists are written with commas there.",
    )
    _add_store(one)
    one.add_argument("--host", help="address to listen on (127.0.0.1)")
    one.add_argument("--port", type=int, help="port to listen on, 0 for a free one (8080)")
    for name, what in (
        ("--hosts", "a name besides that of the base URL under which it is asked, * for any; may be repeated"),
        ("--trusted-proxies", "address or network of a proxy whose X-Forwarded-For is believed; may be repeated"),
        ("--fetch-from", "a host from which pictures of designs are read; may be repeated"),
    ):
        one.add_argument(name, action="extend", type=_listed, metavar="NAME", help=what)
    for name, what in (
        ("--proxy-hops", "how many such proxies stand one behind the other (1)"),
        ("--threads", "requests that are worked on at once (64)"),
        ("--renders", "pictures that are drawn at once (one a processor)"),
        ("--generates-a-minute", "pictures an address may have in a minute without a key, 0 without limit (600)"),
        ("--unknown-codes-a-minute", "unknown short URLs an address may try in a minute, 0 without limit (30)"),
    ):
        one.add_argument(name, type=int, metavar="N", help=what)
    yes_or_no = argparse.BooleanOptionalAction
    one.add_argument("--strict", action=yes_or_no, help="answer 503 rather than lose a visit (no)")
    one.add_argument("--record-visits", action=yes_or_no, help="record visits (yes)")
    one.add_argument("--access-log", action=yes_or_no, help="tell each request on the error stream, as JSON (yes)")
    one.set_defaults(run=_serve)


def _listed(text: str) -> list[str]:
    """Names with commas between them, as in the environment."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _serve(asked: argparse.Namespace) -> None:
    from qrkit.wsgi import Settings, make_app, serve
    from qrkit.wsgi.access_log import shown_access

    given = {name: getattr(asked, name) for name in Settings.model_fields if name != "store"}
    settings = Settings.read(os.environ, store=str(asked.store), **given)

    def ready(port: int) -> None:
        print(f"{portfolio.store.path} at http://{settings.host}:{port}, short URLs {portfolio.base_url}/…")
        print(f"try http://{settings.host}:{port}/api/v3/generate?content=hello; Ctrl-C stops", flush=True)
        if portfolio.base_url == DEFAULT_BASE_URL and port != 8080:
            print(
                f"short URLs lead to {DEFAULT_BASE_URL}, where this does not listen: give --base-url", file=sys.stderr
            )

    with shown_access(), open_portfolio(asked.store, base_url=settings.base_url) as portfolio:
        serve(make_app(portfolio.store, settings), settings, ready=ready)


def _add_account(commands: Commands) -> None:
    parser = commands.add_parser("account", help="accounts of a store, their plans and API keys")
    doing = parser.add_subparsers(dest="doing", required=True, metavar="what")
    for name, act, what, arguments in ACCOUNT_COMMANDS:
        one = doing.add_parser(name, help=what)
        for argument in arguments:
            one.add_argument(argument)
        _add_store(one)
        one.set_defaults(run=_with_store(act))
        if name == "create":
            one.add_argument("--plan", default="free", help=f"one of {', '.join(PLANS)} (%(default)s)")
        if name == "key":
            one.add_argument("--label", default="", help="what its owner calls it")
            one.add_argument("--expires", metavar="DATE", help="when it ends, as 2027-01-01T00:00:00Z")


def _with_store(act: Callable[[Store, argparse.Namespace], None]) -> Callable[[argparse.Namespace], None]:
    def run(asked: argparse.Namespace) -> None:
        if asked.doing == "create" and not asked.store.exists():
            # An account that cannot be must not leave a new, empty store behind.
            with open_portfolio(":memory:") as trial:
                access.create_account(trial.store, asked.name, plan=asked.plan)
        with _opened(asked, must_exist=asked.doing != "create") as portfolio:
            act(portfolio.store, asked)

    return run


def _create_account(store: Store, asked: argparse.Namespace) -> None:
    made = access.create_account(store, asked.name, plan=asked.plan)
    print(f"{made.name}: an account of the plan {made.plan}")


def _list_accounts(store: Store, _asked: argparse.Namespace) -> None:
    for one in access.list_accounts(store):
        print(f"{one.name}  {one.plan}  keys: {len(access.list_keys(store, one))}")


def _change_plan(store: Store, asked: argparse.Namespace) -> None:
    changed = access.change_plan(store, access.get_account(store, asked.name), asked.plan)
    print(f"{changed.name}: the plan is now {changed.plan}")


def _create_key(store: Store, asked: argparse.Namespace) -> None:
    expires = from_iso(asked.expires, name="expires") if asked.expires else None
    if expires and expires <= now():
        raise InvalidParameter(Problem("expires", asked.expires, "must lie ahead"))
    print(access.create_key(store, access.get_account(store, asked.name), label=asked.label, expires=expires))
    print("qrkit account: the key is shown this once; the store keeps its digest alone", file=sys.stderr)


def _list_keys(store: Store, asked: argparse.Namespace) -> None:
    for key in access.list_keys(store, access.get_account(store, asked.name)):
        ends = f"expires {to_iso(key.expires)}" if key.expires else "no end"
        state = f"revoked {to_iso(key.revoked)}" if key.revoked else ends
        print(f"{key.id}  made {to_iso(key.created)}  {state}  {key.label}".rstrip())


def _revoke_key(store: Store, asked: argparse.Namespace) -> None:
    access.revoke_key(store, access.get_account(store, asked.name), asked.id)
    print(f"{asked.id}: opens nothing any more")


ACCOUNT_COMMANDS = (
    ("create", _create_account, "make an account", ("name",)),
    ("list", _list_accounts, "all accounts, with their plans", ()),
    ("plan", _change_plan, "give an account another plan", ("name", "plan")),
    ("key", _create_key, "make an API key, which is shown this once", ("name",)),
    ("keys", _list_keys, "what is known of the keys of an account", ("name",)),
    ("revoke", _revoke_key, "have a key open nothing any more", ("name", "id")),
)


def _add_report(commands: Commands) -> None:
    one = commands.add_parser("report", help="write a scan report as one HTML file")
    _add_store(one)
    one.add_argument("-o", "--output", type=Path, default=Path("report.html"), help="file to write (%(default)s)")
    one.add_argument("--campaign", help="name of a campaign; without it, all")
    one.set_defaults(run=_report)


def _report(asked: argparse.Namespace) -> None:
    from qrkit import report

    with _opened(asked, must_exist=True) as portfolio:
        if asked.campaign is None:
            made = report.portfolio(portfolio)
        else:
            found = [one for one in portfolio.list_campaigns() if one.name == asked.campaign]
            if not found:
                raise NotFound("campaign", asked.campaign)
            made = report.campaign(portfolio, found[0].id)
        print(made.save(asked.output))


def _add_demo(commands: Commands) -> None:
    one = commands.add_parser("demo", help="a finished job: posters, scans and a report, in one command")
    one.add_argument("--portfolio", type=Path, help="a csv of yours instead of the sample")
    one.add_argument("--folder", type=Path, help="where to write (demo, or demo-NAME of your csv)")
    one.set_defaults(run=_demo)


def _demo(asked: argparse.Namespace) -> None:
    from qrkit import demo

    folder = asked.folder or Path(f"demo-{asked.portfolio.stem}" if asked.portfolio else "demo")
    done = demo.run(folder, spreadsheet=asked.portfolio)
    _tell(done.imported)
    # As it was called: without the environment activated, plain `qrkit` is not found.
    me = sys.argv[0] if Path(sys.argv[0]).name == "qrkit" else "python -m qrkit"
    print(
        f"Imported   {done.imported}\n"
        f"Drew       {done.pictures} pictures in {done.codes}/\n"
        f"Replayed   {done.visits} visits of a made-up month through the redirect; {done.scans} count as scans\n"
        f"Wrote      {done.report}\n"
        "\n"
        "Next:\n"
        f"  open {done.report} in a browser\n"
        f"  {me} serve --store {done.store}, then open a short URL of the report\n"
        f"  {me} demo --portfolio mine.csv: the same with a spreadsheet of yours\n"
        "  make lab: the notebooks"
    )


def _add_store(parser: argparse.ArgumentParser) -> None:
    default = Path(os.environ.get("QRKIT_STORE") or DEFAULT_STORE)
    parser.add_argument("--store", type=Path, default=default, help="the store's file (%(default)s)")
    parser.add_argument("--base-url", help="what short URLs begin with; the store keeps it (http://localhost:8080)")


def _opened(asked: argparse.Namespace, *, must_exist: bool = False) -> Portfolio:
    """The portfolio of the store; commands that only read do not make a new file of a mistyped name."""
    if must_exist and not asked.store.exists():
        raise NotFound("store", f"{asked.store}", hint="`qrkit serve` and `qrkit import` make one")
    return open_portfolio(asked.store, base_url=asked.base_url)


if __name__ == "__main__":
    sys.exit(main())
