"""How fast 50,000 QR Codes go into files and come back, and single ones into a store, against the bare libraries."""

import csv
import gc
import io
import json
from datetime import datetime, timedelta
from statistics import median
from time import process_time

import duckdb
import openpyxl
import pandas as pd
import pytest
import xlrd
import xlwt
from lxml import etree

from qrkit import open_portfolio
from qrkit.exchange import EXCHANGE_FORMATS, Reading, Writing
from qrkit.exchange.columns import ALL_NAMES, ELEMENTS, NAMES, Row

pytestmark = pytest.mark.benchmark

CODES = 50_000
FEW = 5_000
SINGLE = 100
BASE_URL = "https://go.example.com"
READING = Reading(bytes.decode)
WRITING = Writing(lambda code, format: b"")


def table(codes):
    """The table of a portfolio as a file has it: text, all columns."""
    start = datetime(2026, 1, 1)
    rows = [
        (
            f"Campaign {number % 40}",
            f"Poster {number}, left",
            f"https://www.example.com/spring/2026?poster={number}",
            f"{BASE_URL}/c{number:06}",
            str(start + timedelta(minutes=number)),
            str(number % 977),
            f"Harbour Street {number % 300}, Lindhaven",
            str(50 + number % 1000 / 1000),
            str(10 + number % 777 / 1000),
            "" if number % 3 else "A1, behind glass",
            *("true", "8", "4", "-1", "Byte", "M", "#FF000000", "#FFFFFFFF", "false", "", ""),
        )
        for number in range(codes)
    ]
    rows = [(*row, *[""] * (len(ALL_NAMES) - len(row))) for row in rows]
    index = pd.Index([f"{number:032x}" for number in range(codes)], name="id", dtype="str")
    return pd.DataFrame(rows, columns=list(ALL_NAMES), dtype="str", index=index)


def rows_of(frame):
    """As an export hands them on."""
    return [Row(0, cells) for cells in frame.to_dict("records")]


def written(name, rows):
    file = io.BytesIO()
    EXCHANGE_FORMATS[name].write(rows, file, WRITING)
    return file.getvalue()


def bare_read_json(data):
    return pd.DataFrame(json.loads(data), dtype="str")


def bare_write_json(frame):
    return json.dumps(frame.to_dict("records"), ensure_ascii=False).encode()


def bare_read_xml(data):
    rows = []
    for _, item in etree.iterparse(io.BytesIO(data), tag="item"):
        rows.append({one.tag: one.text for one in item})
        item.clear()
    return pd.DataFrame(rows, dtype="str")


def bare_write_xml(frame):
    file = io.BytesIO()
    with etree.xmlfile(file, encoding="utf-8") as xml, xml.element("tracking"):
        for cells in zip(*(frame[name] for name in ELEMENTS.values()), strict=True):
            item = etree.Element("item")
            for element, cell in zip(ELEMENTS, cells, strict=True):
                if cell:
                    etree.SubElement(item, element).text = cell
            xml.write(item)
    return file.getvalue()


def bare_read_xlsx(data):
    sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True).worksheets[0]
    heading, *rows = sheet.iter_rows(values_only=True)
    return pd.DataFrame(rows, columns=heading)


def bare_write_xlsx(frame):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for cells in frame[list(NAMES)].itertuples(index=False, name=None):
        sheet.append(cells)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def bare_read_xls(data):
    sheet = xlrd.open_workbook(file_contents=data).sheet_by_index(0)
    heading, *rows = (sheet.row_values(number) for number in range(sheet.nrows))
    return pd.DataFrame(rows, columns=heading)


def bare_write_xls(frame):
    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("QR Codes")
    for number, cells in enumerate(frame[list(NAMES)].itertuples(index=False, name=None)):
        for place, cell in enumerate(cells):
            sheet.write(number, place, cell)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


BARE = {
    "csv": (
        lambda data: pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False),
        lambda frame: frame[list(NAMES)].to_csv(index=False, quoting=csv.QUOTE_MINIMAL).encode(),
    ),
    "json": (bare_read_json, bare_write_json),
    "xml": (bare_read_xml, bare_write_xml),
    "xlsx": (bare_read_xlsx, bare_write_xlsx),
    "xls": (bare_read_xls, bare_write_xls),
}
ROUNDS = {"csv": 5, "json": 5, "xml": 5, "xlsx": 1, "xls": 1}


def seconds(work, argument):
    """The processor seconds that it takes."""
    gc.collect()
    start = process_time()
    work(argument)
    return process_time() - start


def line(rounds):
    """The medians of ours and theirs, and of their ratios."""
    ours, theirs = (median(column) for column in zip(*rounds, strict=True))
    return f"{ours:6.2f} s, bare {theirs:6.2f} s, ratio {median(a / b for a, b in rounds):5.2f}"


def keep(record, name, rows, rounds, *, most):
    """Keep the microseconds of a row, ours and theirs, and their ratio, which is `most` so large."""
    assert median(a / b for a, b in rounds) < most
    ours, theirs = ([seconds / rows * 1e6 for seconds in column] for column in zip(*rounds, strict=True))
    record(name, us_a_row=ours, bare_us_a_row=theirs, ratio=[a / b for a, b in rounds])


@pytest.mark.parametrize("name", list(BARE))
def test_files_are_read_and_written(name, capsys, record):
    ours, (bare_read, bare_write) = EXCHANGE_FORMATS[name], BARE[name]
    frame = table(CODES)
    rows = rows_of(frame)
    data = written(name, rows)
    found = bare_read(data).rename(columns=ELEMENTS)
    assert [row.cells["Content"] for row in ours.read(data, READING).rows] == found["Content"].tolist()
    reads, writes = [], []
    for _ in range(ROUNDS[name]):
        reads.append((seconds(lambda data: ours.read(data, READING), data), seconds(bare_read, data)))
        writes.append((seconds(lambda rows: written(name, rows), rows), seconds(bare_write, frame)))
    keep(record, f"rows of {name} read", CODES, reads, most=4)
    keep(record, f"rows of {name} written", CODES, writes, most=2)
    with capsys.disabled():
        print(f"\n{name:4} {len(data) / 1e6:4.1f} MB, read {line(reads)}; write {line(writes)}", end="")  # noqa: T201


INSERT = """
INSERT INTO codes SELECT * FROM incoming
WHERE NOT EXISTS (FROM codes c WHERE c."QR Code Name" = incoming."QR Code Name" AND c.Content = incoming.Content)
QUALIFY row_number() OVER (PARTITION BY "QR Code Name", Content) = 1
"""


class Script:
    """What an analyst would write: the file as a DataFrame, its new rows as one statement; nothing is judged."""

    def __init__(self):
        self.connection = duckdb.connect()
        columns = ", ".join(f'"{name}" VARCHAR' for name in NAMES)
        self.connection.execute(f"CREATE TABLE codes ({columns})")

    def import_file(self, data):
        self.connection.register("incoming", BARE["csv"][0](data))
        self.connection.execute(INSERT)

    def rows(self):
        return self.connection.execute("SELECT * FROM codes").df()


def test_codes_go_into_a_portfolio_and_out_of_it(capsys, record):
    data = written("csv", rows_of(table(CODES)))
    times = {"import": [], "again": [], "list": [], "export": []}
    for _ in range(3):
        script = Script()
        with open_portfolio(":memory:", base_url=BASE_URL) as shop:
            times["import"].append((seconds(shop.import_file, data), seconds(script.import_file, data)))
            times["again"].append((seconds(shop.import_file, data), seconds(script.import_file, data)))
            assert len(shop.list_qrcodes()) == len(script.rows()) == CODES
            times["list"].append((seconds(lambda shop: shop.list_qrcodes(), shop), seconds(Script.rows, script)))
            export = seconds(lambda shop: shop.export_bytes("csv"), shop)
            times["export"].append((export, seconds(lambda script: BARE["csv"][1](script.rows()), script)))
    for name, rounds in times.items():
        keep(record, f"codes of a portfolio: {name}", CODES, rounds, most=25)
    with capsys.disabled():
        for name, rounds in times.items():
            print(f"\n{name:6} {line(rounds)}", end="")  # noqa: T201


def test_workbooks_come_out_of_a_portfolio(capsys, record):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.import_file(written("csv", rows_of(table(FEW))))
        frame = pd.read_csv(io.BytesIO(shop.export_bytes("csv", safe=False)), dtype=str, keep_default_na=False)
        assert bare_read_xlsx(shop.export_bytes("xlsx"))["Content"].tolist() == frame["Content"].tolist()
        rounds = [
            (seconds(lambda shop: shop.export_bytes("xlsx"), shop), seconds(bare_write_xlsx, frame)) for _ in range(5)
        ]
    keep(record, "codes of a portfolio: xlsx", FEW, rounds, most=1)
    with capsys.disabled():
        print(f"\nxlsx   {line(rounds)}", end="")  # noqa: T201


def test_single_codes_go_into_a_file(tmp_path, capsys, record):
    """The baseline is a bare table in a file of its own: a row with a key of its own, in a transaction of its own."""
    rounds = []
    with (
        open_portfolio(tmp_path / "codes.duckdb", base_url=BASE_URL) as shop,
        duckdb.connect(tmp_path / "bare.duckdb") as bare,
    ):
        bare.execute("CREATE TABLE codes (id VARCHAR PRIMARY KEY, name VARCHAR, content VARCHAR)")
        for number in range(SINGLE):
            url = f"https://www.example.com/{number}"
            row = [f"{number:032x}", url, url]
            ours = seconds(shop.insert_qrcode, url)
            rounds.append((ours, seconds(lambda row: bare.execute("INSERT INTO codes VALUES (?, ?, ?)", row), row)))
        assert len(shop.list_qrcodes()) == SINGLE
    keep(record, "one code into a file", 1, rounds, most=10)
    with capsys.disabled():
        ours, theirs = (median(column) * 1000 for column in zip(*rounds, strict=True))
        ratio = median(a / b for a, b in rounds)
        print(f"\none    {ours:5.2f} ms, bare {theirs:5.2f} ms, ratio {ratio:5.2f}", end="")  # noqa: T201
