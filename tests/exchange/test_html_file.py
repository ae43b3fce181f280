"""Tables of HTML pages, which many programs export under the name of a workbook."""

import pytest

from qrkit.errors import UnreadableFile
from qrkit.exchange import html_file
from qrkit.exchange.sheets import read_sheet

TABLE = (
    "<table><tr><th>Name</th><th>Content</th></tr><tr><td>Tür &amp;\n Tor</td><td>https://example.com</td></tr></table>"
)


@pytest.mark.parametrize(
    "start",
    [
        "",
        "<html><body>",
        "\ufeff<!DOCTYPE html><html>",
        "<?xml version='1.0'?>\n<html>",
        "<!-- x --><style>a{}</style>",
    ],
)
@pytest.mark.parametrize("format", ["xls", "csv", "html"])
def test_a_table_of_a_page_is_read(shop, start, format):
    assert shop.import_file((start + TABLE).encode(), format=format).issues == ()
    assert [(code.name, code.content) for code in shop.list_qrcodes()] == [("Tür & Tor", "https://example.com")]


def test_the_table_with_the_heading_is_found(shop):
    page = f"<html><table><tr><td>menu<td>home</table><p>{TABLE}</html>".encode()
    issues = shop.import_file(page, format="html").issues
    assert [issue.reason for issue in issues] == ["unread-sheet", "heading-row"]
    assert shop.import_file(page, format="html", sheet="table 2").count("duplicate") == 1


def test_a_page_is_read_in_the_encoding_that_it_says():
    page = f"<html><meta charset=windows-1252>{TABLE}".encode("cp1252")
    assert read_sheet(page).rows == (("Tür & Tor", "https://example.com"),)
    assert read_sheet(page).issues == ()
    for unknown in (b"klingon", b"undefined", b"punycode"):
        assert read_sheet(page.replace(b"windows-1252", unknown)).rows == (("Tür & Tor", "https://example.com"),)


def test_merged_cells_keep_columns_apart():
    rows = "<tr><td rowspan=2>Spring<td>a<td colspan=2>1<td>x</tr><tr><td>b<td>2<td>3<td>y</tr>"
    page = f"<table><tr><td>Campaign<td>Name<td>One<td>Two<td>Last</tr>{rows}</table>".encode()
    assert read_sheet(page).rows == (("Spring", "a", "1", "", "x"), ("Spring", "b", "2", "3", "y"))


def test_lines_of_a_cell_are_words_of_their_own():
    """The last word of a line and the first one of the next were one."""
    page = b"<table><tr><td>Name<br>of code<td>Text</tr><tr><td>A<br/>B<td><p>one</p><p>t<b>w</b>o</p></tr></table>"
    assert (read_sheet(page).heading, read_sheet(page).rows) == (("Name of code", "Text"), (("A B", "one two"),))


def test_cells_over_several_rows_may_follow_each_other():
    rows = "<tr><td rowspan=2>a<td>1</tr><tr><td>2</tr><tr><td rowspan=2>b<td>3</tr><tr><td>4</tr>"
    page = f"<table><tr><td>One<td>Two</tr>{rows}</table>".encode()
    assert read_sheet(page).rows == (("a", "1"), ("a", "2"), ("b", "3"), ("b", "4"))


def test_a_page_without_a_table_or_too_large_is_refused(monkeypatch):
    for page in (b"<html><p>Sign in</html>", b"<html>"):
        with pytest.raises(UnreadableFile, match="an HTML page without a table"):
            read_sheet(page)
    monkeypatch.setattr(html_file, "MOST_ELEMENTS", 5)
    with pytest.raises(UnreadableFile, match="more than 5 elements"):
        read_sheet(TABLE.encode())


@pytest.mark.parametrize("cell", ["<td colspan=99999 rowspan=99999>x", "<td colspan=-1 rowspan=x>x", "<td>" * 5_000])
def test_claims_of_a_page_have_limits(cell):
    assert len(read_sheet(f"<table><tr><td>a</tr><tr>{cell}</table>".encode()).rows) <= 1


@pytest.mark.parametrize("cell", ["x" * 10_000_000, "<div>" * 10_000], ids=["long", "deep"])
def test_what_the_parser_leaves_out_refuses_the_page(cell):
    page = f"<table><tr><td>Content</td></tr><tr><td>{cell}</td></tr><tr><td>https://example.com</td></tr></table>"
    with pytest.raises(UnreadableFile, match="10,000,000 characters or more, or more than 256 elements"):
        read_sheet(page.encode())
