"""Dumps of databases: the links of services that people run themselves, and nothing else of the database."""

import tracemalloc
from time import process_time

import pytest

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


def codes_of(shop, dump):
    result = shop.import_file(dump.encode(), format="sql")
    assert result.failed == 0, result.issues
    return [(code.short_code, code.content) for code in shop.list_qrcodes()]


@pytest.mark.parametrize("kind", ["key", "index", "check", "primary"])
@pytest.mark.parametrize(
    "dump",
    [
        'COPY public."Link" (id, {}, url, "shortLink", domain) FROM stdin;\n'
        "1\tabc\thttps://e.org/?a=1\thttps://s.e/abc\ts.e\n\\.\n",
        'CREATE TABLE links (id int, {} varchar(100) NOT NULL, url text, "shortLink" text);\n'
        "INSERT INTO links VALUES (1, 'abc', 'https://e.org/?a=1', 'https://s.e/abc');\n",
    ],
    ids=["COPY", "CREATE"],
)
def test_columns_may_be_called_as_the_words_of_constraints(shop, dump, kind):
    ((short_code, content),) = codes_of(shop, dump.format(kind))
    assert (short_code, content) == ("abc", "https://e.org/?a=1")


@pytest.mark.parametrize(
    "line",
    [
        "lat decimal(9,6)",
        "lat enum('a','b, c') DEFAULT 'a'",
        "key enum('a','b')",
        "`lat (deg, north)` decimal(9,6)",
        "[key] nvarchar(max)",
        "lat float CHECK (lat IN (1, 2, content))",
        "UNIQUE KEY `u` (`id`,`content`), lat int",
        "KEY k (name(10), content), lat int",
        "INDEX ((lower(name)), content), lat int",
        "CHECK (0 < id AND content IN ('a', name)), lat int",
        "CONSTRAINT c CHECK (1 < id), lat int",
        "CONSTRAINT `f` FOREIGN KEY (id, name) REFERENCES other (id, name) ON DELETE CASCADE, lat int",
        "SPATIAL KEY s (id), lat int",
    ],
)
def test_only_columns_are_named_by_a_table(shop, line):
    dump = (
        f"CREATE TABLE codes (id int, {line}, name text, content text, comment text);\n"
        "INSERT INTO codes VALUES (1, 2.5, 'N', 'https://x.example', 'https://wrong.example');\n"
    )
    assert [content for _, content in codes_of(shop, dump)] == ["https://x.example"]
    assert shop.list_qrcodes()[0].name == "N"


@pytest.mark.parametrize("name", ["`Nom d'affichage`", '"Size (mm)"', "[Owner's note]"])
def test_names_of_columns_may_have_any_character(shop, name):
    """An apostrophe hid the names of all columns, so that the dump was refused."""
    columns = f"(short_code text, original_url text, date_created text, {name} text)"
    row = "('door', 'https://example.com', '2024-05-01 08:30:00', 'x')"
    shop.import_file(f"CREATE TABLE links {columns};\nINSERT INTO links VALUES {row};\n".encode(), format="sql")
    assert (shop.find_qrcode("door").content, dict(shop.find_qrcode("door").fields)) == (
        "https://example.com", {name[1:-1]: "x"},
    )  # fmt: skip


def test_keys_of_several_columns_are_no_columns(shop):
    dump = (
        "CREATE TABLE `urls` (`id` int, `long_url` text, `short_url` text,\n"
        "PRIMARY KEY (`id`), UNIQUE KEY `u` (`id`,`long_url`));\n"
        "INSERT INTO `urls` VALUES (1,'https://e.org/?a=1','https://s.e/abc');\n"
    )
    assert codes_of(shop, dump) == [("abc", "https://e.org/?a=1")]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (r"'print(\'\')'", "print('')"),
        (r"'it''s \\'", "it's \\"),
        (r'"it\'s \"so\""', 'it\'s "so"'),
        ("_binary 'Door'", "Door"),
        ("_utf8mb4'Door'", "Door"),
        ("X'446f6f72'", "Door"),
        ("0x446F6F72", "Door"),
        ("x'ff446f6f72'", "ff446f6f72"),
        ("0x00000000000007D1", "00000000000007D1"),
        ("b'1'", "1"),
        ("0x1", "0x1"),
    ],
)
def test_texts_of_mysql_are_read_as_it_writes_them(shop, written, name):
    dump = f"INSERT INTO `codes` (`name`,`content`) VALUES ('A','a'),({written},'b'),('C','c');\n"
    assert [content for _, content in codes_of(shop, dump)] == ["a", "b", "c"]
    assert shop.list_qrcodes()[1].name == name


@pytest.mark.parametrize(
    ("off", "on"),
    [(r"_binary '\0'", "_binary '\x01'"), ("b'0'", "b'1'"), ("0x00", "0x01"), ("X'00'", "X'01'"), ("0", "1")],
)
def test_links_that_a_bit_turns_off_stay_off(shop, off, on):
    links = [f"('https://s.e/{number}','https://e.org/{number}',{bit})" for number, bit in enumerate([off, on])]
    dump = f"INSERT INTO `links` (`shortUrl`,`longUrl`,`active`) VALUES {','.join(links)};\n"
    assert codes_of(shop, dump) == [("0", "https://e.org/0"), ("1", "https://e.org/1")]
    assert [code.active for code in shop.list_qrcodes()] == [False, True]


def test_a_table_of_a_dump_may_be_named(shop):
    file = f"{CREATE}INSERT INTO `yourls_url` VALUES {ROWS}INSERT INTO `notes` (`content`) VALUES ('x');\n".encode()
    shop.import_file(file, format="sql", sheet="notes")
    assert [code.content for code in shop.list_qrcodes()] == ["x"]


@pytest.mark.parametrize("file", ["", "DROP TABLE x;", "SELECT 1"])
def test_a_dump_without_rows_is_refused(shop, file):
    with pytest.raises(UnreadableFile, match="no INSERT"):
        shop.import_file(file.encode(), format="sql")


@pytest.mark.parametrize("format", ["", "csv"])
@pytest.mark.parametrize(
    "table",
    [
        "Start,Content\nCopy of A,https://example.com\n",
        "Set;Content\nCopy of A;https://example.com\n",
        "Copy\tContent\nA\thttps://example.com\n",
        "--- links ---\nName,Content\nCopy me,https://example.com\n",
        "Use,Content\nCopy from desk,https://example.com\n",
    ],
)
def test_words_of_sql_make_no_dump_of_a_list(shop, table, format):
    assert shop.import_file(table.encode(), format=format).created == 1
    assert [code.content for code in shop.list_qrcodes()] == ["https://example.com"]


@pytest.mark.parametrize("end", ["('gate', concat('a', 'b'));", "('gate", "('gate', 'https://e.org'"])
def test_a_row_that_cannot_be_read_is_told_and_costs_no_earlier_one(shop, end):
    file = f"INSERT INTO links (slug, url) VALUES ('door', 'https://e.org'),\n{end}\n"
    result = shop.import_file(file.encode(), format="sql")
    assert ([code.short_code for code in shop.list_qrcodes()], result.failed) == (["door"], 1)
    assert "the rows after it in this INSERT were not read" in result.issues[-1].detail


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


LINKS = "(short_url, long_url, title)"
DOOR = ("door", "https://e.org/1", "It's C:\\new")
GATE = ("gate", "https://e.org/2", "https://e.org/2")
DIALECTS = {
    "MySQL without backticks": rf"""INSERT INTO links {LINKS} VALUES ('door','https://e.org/1','It\'s C:\\new'),
        ('gate','https://e.org/2',NULL);""",
    "MySQL without backticks or quotes": "-- MySQL dump 10.13\n" + rf"""INSERT INTO links {LINKS} VALUES
        ('door','https://e.org/1','It''s C:\\new'),('gate','https://e.org/2',_utf8mb4'');""",
    "PostgreSQL, E": rf"""INSERT INTO public.links {LINKS} VALUES (E'door', 'https://e.org/1', E'It\'s C:\\new');
        INSERT INTO public.links {LINKS} VALUES ('gate', 'https://e.org/2', NULL::varchar);""",
    "PostgreSQL, casts": rf"""INSERT INTO links {LINKS} VALUES
        ('door'::text, 'https://e.org/1'::character varying(99), 'It''s C:\new' :: "public".citext),
        ('gate'::bpchar, 'https://e.org/2', NULL::character varying(99));""",
    "PostgreSQL, older strings": "SET standard_conforming_strings = off;\n" + rf"""INSERT INTO links {LINKS} VALUES
        ('door', 'https://e.org/1', 'It''s C:\\new'), ('gate', 'https://e.org/2', '');""",
    "SQLite of a program that writes backticks": r"""CREATE TABLE `links` (`short_url`, `long_url` text, `title` text);
INSERT INTO links VALUES('door','https://e.org/1','It''s C:\new');
INSERT INTO links VALUES('gate','https://e.org/2',NULL);""",
    "PostgreSQL, identities": rf"""INSERT INTO shop."public"."links" {LINKS} OVERRIDING SYSTEM VALUE VALUES
        ('door', 'https://e.org/1', 'It''s C:\new'), ('gate', 'https://e.org/2', NULL) ON CONFLICT DO NOTHING;""",
    "SQL Server": r"""USE [shop]
GO
INSERT [dbo].[links] ([short_url], [long_url], [title]) VALUES
 (N'door', CAST(N'https://e.org/1' AS NChar(9)), N'It''s C:\new')
GO
INSERT [dbo].[links] ([short_url], [long_url], [title]) VALUES (N'gate', N'https://e.org/2', NULL)
GO
""",
    "one line": rf"""INSERT INTO tags (id) VALUES (1); INSERT INTO links {LINKS}
        VALUES ('door','https://e.org/1','It''s C:\new'); INSERT INTO links {LINKS} VALUES ('gate','https://e.org/2','');""",
    "other columns in each INSERT": r"""INSERT INTO links (title, short_url, long_url) VALUES ('It''s C:\new','door','https://e.org/1');
INSERT INTO links (long_url, short_url) VALUES ('https://e.org/2','gate');""",
    "columns in another case": rf"""INSERT INTO links {LINKS} VALUES ('door','https://e.org/1','It''s C:\new');
INSERT INTO links (Short_URL, LONG_URL) VALUES ('gate','https://e.org/2');""",
    "comments between rows": rf"""INSERT INTO links {LINKS}
VALUES ('door','https://e.org/1','It''s C:\new'), -- it's (the) first
# and
/* the, (second) */ ('gate','https://e.org/2',NULL);""",
    "statements in comments": rf"""-- old; INSERT INTO links {LINKS} VALUES ('a','https://e.org/3','b');
/* INSERT INTO links {LINKS} VALUES ('c','https://e.org/4','d');
INSERT INTO links {LINKS} VALUES ('e','https://e.org/5','f'); */
INSERT INTO links {LINKS} VALUES ('door','https://e.org/1','It''s C:\new'); /*
INSERT INTO links {LINKS} VALUES ('g','https://e.org/6','h'); */
INSERT INTO links {LINKS} VALUES ('gate','https://e.org/2',NULL) /* ;
INSERT INTO links {LINKS} VALUES ('i','https://e.org/7','j'); */;""",
}  # fmt: skip


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("dump", DIALECTS.values(), ids=DIALECTS.keys())
def test_no_link_is_lost_in_a_dialect(shop, dump):
    assert codes_of(shop, dump) == [DOOR[:2], GATE[:2]]
    assert [code.name for code in shop.list_qrcodes()] == [DOOR[2], GATE[2]]


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        ("INSERT INTO links (slug, url) SELECT slug, url FROM old;\n", "is followed by neither VALUES nor FROM stdin"),
        ("INSERT INTO links SET slug = 'a', url = 'b';\n", "is followed by neither VALUES nor FROM stdin"),
        ("INSERT INTO links (slug, url) VALUES ('a', 'b', 'c');\n", "'a, b, c' must have one value for each of the 2"),
        ("COPY links (slug, url) FROM stdin;\na\n\\.\n", "'a' must have one value for each of the 2 columns"),
    ],
)
def test_rows_that_are_not_read_are_told(shop, rows, detail):
    dump = f"INSERT INTO links (slug, url) VALUES ('door', 'https://e.org');\n{rows}"
    result = shop.import_file(dump.encode(), format="sql")
    assert ([code.short_code for code in shop.list_qrcodes()], result.failed) == (["door"], 1)
    assert detail in result.issues[-1].detail


@pytest.mark.parametrize("behind", [",", ",\n", " ('gate', 'https://e.org');", ", -- more", ", 'gate');", ",;"])
def test_rows_that_do_not_follow_as_in_sql_are_told(shop, behind):
    dump = f"INSERT INTO links (slug, url) VALUES ('door', 'https://e.org'){behind}"
    result = shop.import_file(dump.encode(), format="sql")
    assert ([code.short_code for code in shop.list_qrcodes()], result.failed) == (["door"], 1)
    assert "the rows after it in this INSERT were not read" in result.issues[-1].detail


@pytest.mark.parametrize("value", ["CURRENT TIMESTAMP", "- 1", "1 + 2", "CAST(12 AS INT)", "NULL"])
def test_values_of_several_words_cost_no_row(shop, value):
    rows = f"('door', 'https://e.org/1', {value}), ('gate', 'https://e.org/2', 1)"
    dump = f"INSERT INTO links (short_url, long_url, seen) VALUES {rows};"
    assert codes_of(shop, dump) == [DOOR[:2], GATE[:2]]


@pytest.mark.parametrize("row", ["('gate', -- it\n 'b')", "(/* it */ 7, 'b')", "(7 /* it */, 'b')", "(7 AS x, 'b')"])
def test_comments_within_a_row_are_told(shop, row):
    dump = f"INSERT INTO links (slug, url) VALUES ('door', 'https://e.org'), {row};"
    result = shop.import_file(dump.encode(), format="sql")
    assert ([code.short_code for code in shop.list_qrcodes()], result.failed) == (["door"], 1)


def test_narrow_rows_of_a_wide_table_take_little_memory(shop):
    names = ", ".join(f"c{number}" for number in range(900))
    values = ", ".join("0" * 900)
    dump = f"INSERT INTO a ({names}) VALUES ({values});\nINSERT INTO a (c0) VALUES {'(1),' * 9_999}(1);\n"
    tracemalloc.start()
    with pytest.raises(UnreadableFile):
        shop.import_file(dump.encode(), format="sql")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_links_behind_many_other_tables_are_found(shop):
    others = "".join(f"INSERT INTO wp_{number} (id, value) VALUES (1, 'x');\n" for number in range(50))
    assert codes_of(shop, f"{others}INSERT INTO links (slug, url) VALUES ('door', 'https://e.org/1');\n") == [DOOR[:2]]


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
        "CREATE TABLE a (" + "KEY a (" * 99_999 + "\n",
        f"CREATE TABLE a ({'KEY b,' * 99_999}KEY (c));\n",
        "CREATE TABLE a ((((\n",
        "/*\n",
        "INSERT INTO a VALUES (1) /*\n",
        "INSERT INTO a VALUES (1), /*\n",
        pytest.param("INSERT INTO a VALUES (1 1\n", marks=pytest.mark.slow),
    ],
    ids=[
        "copies without end",
        "names without end",
        "many columns",
        "columns without end",
        "keys without end",
        "columns called key",
        "nested without end",
        "comments without end",
        "comments behind rows without end",
        "comments between rows without end",
        "words without end",
    ],
)
def test_hostile_dumps_are_read_in_time_that_grows_as_they_do(shop, line):
    repeated = line.splitlines(keepends=True)[-1]
    text = line + repeated * (1_000_000 // len(repeated))
    began = process_time()
    with pytest.raises(UnreadableFile):
        shop.import_file(text.encode(), format="sql")
    assert process_time() - began < 5


def test_line_ends_that_sqlite_writes_as_a_function_are_read(shop):
    """A row with such a text was left out."""
    first = r"replace('a\nb''c','\n',char(10))"
    second = r"replace(replace('a\r\nb','\r',char(13)),'\n',char(10))"
    rows = [
        f"INSERT INTO codes VALUES('https://example.com/{number}',{text});"
        for number, text in enumerate((first, second))
    ]
    dump = "\n".join(["PRAGMA foreign_keys=OFF;", "CREATE TABLE codes(content TEXT, comment TEXT);", *rows, ""])
    assert shop.import_file(dump.encode(), format="sql").issues == ()
    assert [code.comment for code in shop.list_qrcodes()] == ["a\nb'c", "a\r\nb"]
