"""Dumps of databases: the links of services that people run themselves, and nothing else of the database."""

from time import process_time

import pytest

from qrkit import open_portfolio
from qrkit.errors import UnreadableFile

GO = "https://go.example.com"
CREATE = """\
-- MySQL dump 10.13
DROP TABLE IF EXISTS `yourls_url`;
CREATE TABLE `yourls_url` (
  `keyword` varchar(100) NOT NULL DEFAULT '',
  `url` text NOT NULL,
  `title` text COMMENT 'the title, if any',
  `timestamp` timestamp NOT NULL DEFAULT current_timestamp(),
  `ip` varchar(41) NOT NULL,
  `clicks` int(10) unsigned NOT NULL,
  PRIMARY KEY (`keyword`),
  KEY `ip` (`ip`)
) ENGINE=InnoDB;
"""
NAMES = "(`keyword`, `url`, `title`, `timestamp`, `ip`, `clicks`)"
ROWS = """\
('Door','https://example.com/?a=(1),2','It\\'s \\"here\\"; (yes)','2024-05-01 08:30:00','192.0.2.1',12),
('gate','https://example.com/b''c',NULL,'2024-05-02 08:30:00','192.0.2.1',0);
"""
OPTIONS = (
    "CREATE TABLE `yourls_options` (`option_name` varchar(64));\nINSERT INTO `yourls_options` VALUES ('version');\n"
)
FILES = {
    "mysqldump": f"{OPTIONS}{CREATE}LOCK TABLES `yourls_url` WRITE;\n"
    f"INSERT INTO `yourls_url` VALUES {ROWS}UNLOCK TABLES;\n",
    "phpMyAdmin": f"{CREATE}\n{OPTIONS}INSERT INTO `yourls_url` {NAMES} VALUES\n{ROWS}",
    "two statements": f"{CREATE}" + "".join(
        f"INSERT INTO `yourls_url` VALUES {row.rstrip(',;')};\n" for row in ROWS.strip().splitlines()
    ),
    "SQLite": 'CREATE TABLE yourls_url (keyword TEXT, url TEXT, title TEXT, "timestamp" TEXT, ip TEXT, clicks INT);\n'
    "INSERT INTO yourls_url VALUES('Door','https://example.com/?a=(1),2','It''s \"here\"; (yes)',"
    "'2024-05-01 08:30:00','',12);\n"
    "INSERT INTO yourls_url VALUES('gate','https://example.com/b''c',NULL,'2024-05-02 08:30:00','',0);\n",
    "pg_dump": "COPY public.yourls_url (keyword, url, title, \"timestamp\", ip, clicks) FROM stdin;\n"
    "Door\thttps://example.com/?a=(1),2\tIt's \"here\"; (yes)\t2024-05-01 08:30:00\t\\N\t12\n"
    "gate\thttps://example.com/b'c\t\\N\t2024-05-02 08:30:00\t\\N\t0\n\\.\n",
}  # fmt: skip


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        yield portfolio


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("file", FILES.values(), ids=FILES.keys())
def test_links_of_a_dump_keep_their_codes_and_targets(shop, tmp_path, file):
    path = tmp_path / "yourls.sql"
    path.write_text(file)
    result = shop.import_file(path, anyway=False)
    assert result.is_complete
    assert {issue.reason for issue in result.issues} <= {"own-column", "unread-sheet", "heading-row"}
    assert [(code.short_code, code.content, code.name, code.scans) for code in shop.list_qrcodes()] == [
        ("Door", "https://example.com/?a=(1),2", 'It\'s "here"; (yes)', 12),
        ("gate", "https://example.com/b'c", "https://example.com/b'c", 0),
    ]


def test_a_table_of_a_dump_may_be_named(shop):
    file = f"{CREATE}INSERT INTO `yourls_url` VALUES {ROWS}INSERT INTO `notes` (`content`) VALUES ('x');\n".encode()
    shop.import_file(file, format="sql", sheet="notes")
    assert [code.content for code in shop.list_qrcodes()] == ["x"]


@pytest.mark.parametrize("file", ["", "DROP TABLE x;", "SELECT 1"])
def test_a_dump_without_rows_is_refused(shop, file):
    with pytest.raises(UnreadableFile, match="no INSERT"):
        shop.import_file(file.encode(), format="sql")


@pytest.mark.parametrize("end", ["('gate', concat('a', 'b'));", "('gate", "('gate', 'https://e.org'"])
def test_a_row_that_cannot_be_read_is_told_and_costs_no_earlier_one(shop, end):
    file = f"INSERT INTO links (slug, url) VALUES ('door', 'https://e.org'),\n{end}\n"
    result = shop.import_file(file.encode(), format="sql")
    assert ([code.short_code for code in shop.list_qrcodes()], result.failed) == (["door"], 1)


@pytest.mark.parametrize(
    "dump",
    [
        "INSERT INTO yourls_url (keyword, url, title, timestamp, clicks) VALUES\n"
        "('door','https://example.com','C:\\new `x`','2024-05-01 08:30:00',0);\n",
        "COPY yourls_url (keyword, url, title, timestamp, clicks) FROM stdin;\n"
        "door\thttps://example.com\tC:\\\\new\u2028`x`\t2024-05-01 08:30:00\t0\n\\.\n",
    ],
)
def test_texts_of_a_dump_are_read_as_its_database_writes_them(shop, dump):
    assert shop.import_file(dump.encode(), format="sql").is_complete
    (code,) = shop.list_qrcodes()
    assert " ".join(code.name.split()) == "C:\\new `x`"


@pytest.mark.rule("T19")
def test_a_dump_that_ends_within_copied_rows_tells_so(shop):
    copied = FILES["pg_dump"].partition("b'c")[0].replace("here", "here\u2028")
    result = shop.import_file(copied.encode(), format="sql")
    assert [code.short_code for code in shop.list_qrcodes()] == ["Door"]
    assert [issue.row for issue in result.issues] == [3]
    assert "the dump ends in the middle of a table" in result.issues[0].detail


@pytest.mark.parametrize(
    "line",
    [
        "COPY a (b) FROM stdin;\n",
        "INSERT INTO [a\n",
        f"CREATE TABLE a ({', '.join(f'c{number}' for number in range(9_999))});\nINSERT INTO a VALUES (1);\n",
        "CREATE TABLE a (" + "[b," * 99_999 + ");\n",
    ],
    ids=["copies without end", "names without end", "many columns", "columns without end"],
)
def test_hostile_dumps_are_read_in_time_that_grows_as_they_do(shop, line):
    repeated = line.splitlines(keepends=True)[-1]
    text = line + repeated * (1_000_000 // len(repeated))
    began = process_time()
    with pytest.raises(UnreadableFile):
        shop.import_file(text.encode(), format="sql")
    assert process_time() - began < 5
