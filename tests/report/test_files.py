"""Reports as PDF and as notebooks that have run."""

import ast
import json
import subprocess
import sys
from datetime import UTC, date, datetime

import pytest

from qrkit import analytics, open_portfolio, report
from qrkit.__main__ import main
from qrkit.errors import CannotWrite, InvalidParameter, MissingProgram, RenderingFailed
from qrkit.report import pdf

FIRST = date(2026, 6, 1)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Two campaigns of three weeks, in a file."""
    with open_portfolio(tmp_path_factory.mktemp("store") / "shop.duckdb") as portfolio:
        for code, name in (("spring", "Spring"), ("night", "<i>Night</i>")):
            campaign_id = portfolio.insert_campaign(name).id
            portfolio.insert_qrcode("https://example.com", name=name, campaign_id=campaign_id, short_code=code)
        portfolio.insert_qrcode("https://example.com", name="Cellar", campaign_id=campaign_id)
        portfolio.scans.insert(analytics.simulate({"spring": 20, "night": 5}, since=FIRST, days=21, seed=3))
        yield portfolio


@pytest.fixture(scope="module")
def page(shop):
    return report.portfolio(shop)


@pytest.fixture(scope="module")
def made(shop, tmp_path_factory):
    pytest.importorskip("nbclient")
    path = tmp_path_factory.mktemp("notebook") / "report.ipynb"
    assert report.notebook(shop, path, title="*Spring* <b>") == path
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def parameters(notebook):
    """Names and values of its first cell."""
    lines = ast.parse("".join(code_cells(notebook)[0]["source"])).body
    return {line.targets[0].id: ast.literal_eval(line.value) for line in lines}


@pytest.mark.slow
def test_a_notebook_has_run_and_every_cell_answers(made):
    first, opening, *cells, closing = code_cells(made)
    assert [cell["execution_count"] for cell in code_cells(made)] == list(range(1, len(cells) + 4))
    assert first["metadata"]["tags"] == ["parameters"]
    assert not opening["outputs"]
    assert not closing["outputs"]
    assert len(cells) >= 8
    for cell in cells:
        assert [output["output_type"] for output in cell["outputs"]] in (["stream"], ["execute_result"]), cell["source"]


@pytest.mark.slow
def test_a_notebook_says_what_the_page_says(page, made):
    (words,) = (cell for cell in code_cells(made) if "made.words" in "".join(cell["source"]))
    said = "".join(words["outputs"][0]["text"])
    assert said.strip().split("\n\n") == list(page.words)


@pytest.mark.slow
def test_a_notebook_names_the_codes_without_a_scan(page, made):
    (cell,) = (cell for cell in code_cells(made) if "unscanned" in "".join(cell["source"]))
    said = "".join(cell["outputs"][0]["text"]).strip()
    assert said == str(page.unscanned) == "<i>Night</i> (1): Cellar"


@pytest.mark.slow
def test_parameters_of_a_notebook_are_its_first_cell(shop, made):
    path = shop.store.path
    assert parameters(made) == {"store": path, "campaign_id": None, "since": None, "until": None, "time_zone": "UTC"}


def store_of(notebook):
    """The file that the first cell of a notebook names."""
    return parameters(json.loads(notebook.read_text(encoding="utf-8")))["store"]


@pytest.mark.slow
def test_a_notebook_of_a_snapshot_is_that_of_the_original_and_reads_it(shop, made, tmp_path):
    pytest.importorskip("nbclient")
    with open_portfolio(snapshot_of=shop.store.path) as copy:
        assert copy.store.lasting_path == shop.store.lasting_path
        again = report.notebook(copy, tmp_path / "again.ipynb", title="*Spring* <b>")
    assert json.loads(again.read_text(encoding="utf-8")) == made
    assert store_of(again) == shop.store.lasting_path


@pytest.mark.slow
def test_a_notebook_finds_a_store_that_was_opened_from_another_folder(tmp_path, monkeypatch):
    pytest.importorskip("nbclient")
    monkeypatch.chdir(tmp_path)
    with open_portfolio("shop.duckdb") as portfolio:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        assert store_of(report.notebook(portfolio, "report.ipynb")) == str(tmp_path.resolve() / "shop.duckdb")


def test_a_store_in_memory_is_nowhere_else():
    with open_portfolio(":memory:") as portfolio:
        assert portfolio.store.lasting_path == ":memory:"


@pytest.mark.slow
def test_a_title_in_a_notebook_is_text(made):
    title = "".join(made["cells"][0]["source"]).splitlines()[0]
    assert title == r"# \*Spring\* \<b\>"


def assert_no_notebook_is_made_of(place, path, *, rule):
    with open_portfolio(place) as portfolio, pytest.raises(InvalidParameter, match=rule):
        report.notebook(portfolio, path)
    assert not path.exists()


def test_a_notebook_of_a_store_in_memory_is_refused(tmp_path):
    rule = "is in memory; a notebook reads a store from its file"
    assert_no_notebook_is_made_of(":memory:", tmp_path / "report.ipynb", rule=rule)


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_a_notebook_of_a_store_on_a_server_is_refused(server, empty_store, tmp_path):
    rule = "is on a server; a notebook reads a store from its file"
    assert_no_notebook_is_made_of(server.new_database(empty_store), tmp_path / "report.ipynb", rule=rule)


@pytest.mark.slow
def test_a_notebook_without_its_packages_is_refused_with_what_to_do(shop):
    program = """
import sys
sys.modules["nbformat"] = None
import qrkit
from qrkit import report
with qrkit.open_portfolio(snapshot_of=sys.argv[1]) as portfolio:
    try:
        report.notebook(portfolio, "never.ipynb")
    except qrkit.errors.MissingProgram as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", program, shop.store.path], check=True, capture_output=True, text=True)
    assert "the package nbformat is not installed; running a notebook needs it: pip install" in run.stdout


def test_a_notebook_that_cannot_be_written_is_said(tmp_path):
    pytest.importorskip("nbclient")
    unwritten = pytest.raises(CannotWrite, match="cannot be written")
    with open_portfolio(tmp_path / "empty.duckdb") as empty, unwritten:
        report.notebook(empty, tmp_path / "nowhere" / "report.ipynb")


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
def test_a_pdf_has_the_words_on_its_first_page(page, tmp_path):
    path = page.save(tmp_path / "report.pdf")
    run = subprocess.run(["pdftotext", "-l", "1", path, "-"], check=True, capture_output=True, text=True)
    assert "What happened" in run.stdout
    assert " ".join(page.words[0].split()[:4]) in " ".join(run.stdout.split())


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
def test_no_page_of_a_pdf_has_a_lone_row_of_a_table(tmp_path):
    with open_portfolio(":memory:") as shop:
        groups = [shop.insert_campaign(name).id for name in ("Spring", "Autumn")]
        codes = [shop.insert_qrcode("hi", name=f"Poster {at}", campaign_id=groups[at % 2]) for at in range(8)]
        times = [datetime(2026, 6, day, 9 + day % 7, tzinfo=UTC) for day in range(1, 20)]
        shop.scans.insert([{"short_code": code.short_code, "time": time} for code in codes for time in times])
        path = report.portfolio(shop).save(tmp_path / "report.pdf")
    text = subprocess.run(["pdftotext", path, "-"], check=True, capture_output=True, text=True).stdout
    rows = [page.count("\nPoster ") for page in text.split("\f")]
    assert sum(rows) >= 8
    assert 1 not in rows


@pytest.mark.parametrize("name", ["october.docx", "october", "october.html.gz", ".html"])
def test_a_page_is_not_written_into_a_file_of_another_kind(page, tmp_path, name):
    with pytest.raises(InvalidParameter, match=r"must end in \.html, \.htm, \.pdf or \.zip$"):
        page.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["october.HTML", "october.htm"])
def test_a_page_is_written_whatever_the_letters_of_its_suffix(page, tmp_path, name):
    assert page.save(tmp_path / name).read_text(encoding="utf-8") == page.html


def test_who_saves_a_notebook_is_told_how(shop, page, tmp_path):
    with pytest.raises(InvalidParameter, match=r"report\.notebook"):
        page.save(tmp_path / "october.ipynb")
    with pytest.raises(InvalidParameter, match=r"must end in \.ipynb"):
        report.notebook(shop, tmp_path / "october.html")
    assert not list(tmp_path.iterdir())


def program(folder, text):
    """A stand-in for Chromium, alone on the PATH."""
    path = folder / "chromium"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def test_without_a_browser_it_is_said_what_to_do(page, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgram, match=r"none of chromium, .*install Chromium, or save the report as HTML"):
        page.to_pdf()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script of a shell")
@pytest.mark.parametrize("text", ["exit 3", "exit 0", "exec /bin/sleep 20"], ids=["fails", "prints nothing", "hangs"])
def test_a_browser_that_prints_nothing_is_told_of(page, tmp_path, monkeypatch, text):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pdf, "SECONDS", 0.5)
    program(tmp_path, text)
    with pytest.raises(RenderingFailed, match=r"printed no report|took longer than"):
        page.to_pdf()


@pytest.mark.parametrize("folder", [".", "..", "/"])
def test_a_pdf_is_not_written_where_no_file_is_named(shop, tmp_path, monkeypatch, capsys, folder):
    monkeypatch.chdir(tmp_path)
    assert main(["report", "--pdf", "-o", folder, "--store", shop.store.path]) == 2
    assert (
        capsys.readouterr().err == f"qrkit report: --output='{folder}': is a folder; name a file, such as report.pdf\n"
    )
    assert not list(tmp_path.iterdir())
