"""Prints tables: in color on a terminal, as aligned text in a pipe, as CSV or as JSON."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from qrkit.commands.output import in_one_line, print_json
from qrkit.commands.parsing import add_json

if TYPE_CHECKING:
    from rich.console import Console


Row = Mapping[Any, Any]
"""The values of a row by the keys of the columns."""
LONGEST_BAR = 24
"""Characters of the longest bar beside a number."""
GAP = 2
"""Spaces between columns."""
NARROWEST = 8
"""Characters that a column of texts keeps, however narrow the terminal is."""
WIDEST = 60
"""Characters to which columns are aligned in a pipe; a longer text is written in full and shifts only its own line."""
HALF_BLOCKS = {"00": " ", "10": "▀", "01": "▄", "11": "█"}
"""The character for two modules, the upper and the lower."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; without a heading, only JSON and CSV have it.

    The style has the words of rich: `bold`, `cyan`, `dim`. A narrow terminal does not cut texts of a column that
    `is_whole`. `shown` converts a value to what text shows of it.
    """

    key: str
    heading: str = ""
    style: str = ""
    is_whole: bool = False
    shown: Callable[[Any], Any] = field(default=lambda value: value)


@dataclass(frozen=True, slots=True)
class Table:
    """What a command prints as a table: all columns as JSON and CSV, those with a heading as text.

    Each row describes an `each`, such as a QR Code. `bars_of` is the key of a number that a terminal also shows as a
    bar.
    """

    each: str
    columns: tuple[Column, ...]
    bars_of: str = ""

    def add_options(self, parser: argparse.ArgumentParser, keys: str = "") -> None:
        """Add `--csv` and `--json`; keys are the names in JSON, if they are not always those of the columns."""
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument("--csv", action="store_true", help="print CSV; the first line has the names of the columns")
        add_json(ways, keys or ", ".join(column.key for column in self.columns), each=self.each)

    def print(self, asked: argparse.Namespace, rows: Sequence[Row]) -> None:
        """Print rows, which have a value for each column, in the way that the options ask for."""
        if asked.json:
            for row in rows:
                print_json(**self.record(row))
        elif asked.csv:
            self._print_csv(rows)
        elif rows and sys.stdout.isatty():
            self._print_in_color(rows)
        elif rows:
            self._print_text(rows)

    def record(self, row: Row) -> dict[str, Any]:
        """Return a row in the order of the columns."""
        return {column.key: row[column.key] for column in self.columns}

    def _print_csv(self, rows: Iterable[Row]) -> None:
        from qrkit.exchange.csv_file import made_safe

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(column.key for column in self.columns)
        for row in rows:
            cells = self.record(row).values()
            writer.writerow([made_safe(cell) if isinstance(cell, str) else cell for cell in cells])

    def _print_text(self, rows: Sequence[Row]) -> None:
        """Print aligned columns that are two spaces apart, without colors; programs find complete texts."""
        from rich.cells import cell_len

        columns = self._in_text(rows, thousands=False)
        widths = [min(WIDEST, max(map(cell_len, cells))) for _, cells in columns]
        are_numbers = [any(_is_number(row[column.key]) for row in rows) for column, _ in columns]
        for line in zip(*(cells for _, cells in columns), strict=True):
            cells = zip(line, widths, are_numbers, strict=True)
            aligned = (
                cell.rjust(width) if right else cell + " " * (width - cell_len(cell)) for cell, width, right in cells
            )
            print("  ".join(aligned).rstrip())

    def _in_text(self, rows: Sequence[Row], *, thousands: bool) -> list[tuple[Column, list[str]]]:
        """Return the columns that text shows, each with its cells; the first cell is the heading."""
        return [
            (column, [column.heading, *(_text(column.shown(row[column.key]), thousands=thousands) for row in rows)])
            for column in self.columns
            if column.heading
        ]

    def _print_in_color(self, rows: Sequence[Row]) -> None:
        from rich import box
        from rich.cells import cell_len
        from rich.table import Table as Drawn
        from rich.text import Text

        console = _console()
        columns = self._in_text(rows, thousands=True)
        are_numbers = [any(_is_number(row[column.key]) for row in rows) for column, _ in columns]
        fixed = [column.is_whole or is_number for (column, _), is_number in zip(columns, are_numbers, strict=True)]
        needed = [max(map(cell_len, cells)) for _, cells in columns]
        widths = _fit(needed, fixed, console.width - GAP * (len(columns) - 1) - self._bar_width)
        drawn = Drawn(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for (column, (heading, *_)), width, is_number in zip(columns, widths, are_numbers, strict=True):
            justify: Literal["left", "right"] = "right" if is_number else "left"
            drawn.add_column(heading, style=column.style, justify=justify, width=width, no_wrap=True)
        bars = self._bars(rows)
        if bars:
            drawn.add_column("", style="cyan", width=LONGEST_BAR, no_wrap=True)
        lines = zip(*(cells[1:] for _, cells in columns), *bars, strict=True)
        for line in lines:
            drawn.add_row(*map(Text, line))
        console.print(drawn)

    @property
    def _bar_width(self) -> int:
        return LONGEST_BAR + GAP if self.bars_of else 0

    def _bars(self, rows: Sequence[Row]) -> list[list[str]]:
        """Return the column of bars, if there is one."""
        if not self.bars_of:
            return []
        numbers = [row[self.bars_of] for row in rows]
        longest = max(numbers) or 1
        return [["█" * round(LONGEST_BAR * number / longest) for number in numbers]]


def _fit(widths: Sequence[int], fixed: Sequence[bool], available: int) -> list[int]:
    """Narrow columns, the widest first, until all fit into the available width together."""
    fitted = list(widths)
    loose = [place for place, is_fixed in enumerate(fixed) if not is_fixed]
    while sum(fitted) > available and (widest := max(loose, key=fitted.__getitem__, default=None)) is not None:
        if fitted[widest] <= NARROWEST:
            break
        fitted[widest] -= 1
    return fitted


def print_fields(title: str, fields: Mapping[str, str]) -> None:
    """Print the details of a record: a title, then a line for each field that has a value."""
    from rich.text import Text

    known = {label: in_one_line(value) for label, value in fields.items() if value}
    width = max(map(len, known), default=0)
    if not sys.stdout.isatty():
        print(in_one_line(title))
        for label, value in known.items():
            print(f"  {label:{width}}  {value}")
        return
    console = _console()
    console.print(Text(in_one_line(title), style="bold"))
    for label, value in known.items():
        console.print(Text.assemble((f"  {label:{width}}  ", "dim"), value), soft_wrap=True)


def print_picture(modules: str) -> None:
    """Print a symbol, lines of 0 (light) and 1 (dark), in half blocks, dark on light if the terminal has colors."""
    from rich.text import Text

    rows = modules.splitlines()
    rows += ["0" * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    lines = ("".join(HALF_BLOCKS[above + below] for above, below in zip(*pair, strict=True)) for pair in pairs)
    _console().print(Text("\n".join(lines), style="#000000 on #ffffff"), soft_wrap=True)


def _console() -> Console:
    """Return a console that colors nothing on its own, and nothing at all where NO_COLOR or TERM ask for that."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def _text(value: Any, *, thousands: bool) -> str:
    """Return a value as text in one line, without the control characters that files of strangers may contain."""
    if value is None:
        return ""
    if _is_number(value):
        return f"{value:,}" if thousands else str(value)
    return in_one_line(str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
