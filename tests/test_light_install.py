"""What an installation without extras does, and what it says of the rest. `.ci/try_package.py` tries a real one."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from qrkit.errors import EXTRAS

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = {name: [Requirement(text) for text in texts] for name, texts in PROJECT["optional-dependencies"].items()}
PACKAGES = {asked.name for name in EXTRAS for asked in OPTIONAL[name]}

WITHOUT = """
import contextlib, io, json, sys
from pathlib import Path
folder, missing, programs = Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
class Missing:
    def find_spec(name, path, target=None):
        if name in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing)
import qrkit
from qrkit.__main__ import main
shop = qrkit.open_portfolio(":memory:", base_url="https://go.example.com")
door = shop.insert_qrcode("https://example.com", short_code="door")
june = shop.scans.where(since="2026-06-01", until="2026-07-01")
said = []
for program in programs:
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            exec(program)
        except qrkit.errors.MissingProgram as error:
            errors.write(str(error))
    said.append(errors.getvalue().strip())
print(json.dumps(said))
"""

BASIC = """
from qrkit import Design, Layer, analytics, charts
from qrkit.visits.redirect import Redirects, Request
from qrkit.widgets import Designer, PortfolioBrowser

design = Design(content="https://example.com", ec="H", layers=[Layer("icon:heart", x=126, y=126, width=44, height=44)])
image = qrkit.generate(design)
assert qrkit.decode(image.to_bytes("png")).content == design.content
assert design.check("standard").verdict == "robust"
for suffix in ("csv", "xls", "xlsx", "xml", "json", "zip"):
    assert shop.import_file(shop.export_file(folder / f"codes.{suffix}")).created == 0, suffix
phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Version/18.4 Mobile Safari/604.1"
assert Redirects(shop.store).answer(Request("GET", "door", {"user-agent": phone})).content == "https://example.com"
charts.lines(analytics.scans_per_day(shop.scans))
Designer(design).close()
PortfolioBrowser(shop).close()
"""

NEEDS_AN_EXTRA = [
    ("server", "from qrkit.server import make_app"),
    ("server", "qrkit.server.serve"),
    ("server", "from qrkit.visits.countries_of_addresses import Places; Places('nowhere.mmdb')"),
    ("server", "main(['serve'])"),
    ("server", "main(['demo'])"),
    ("console", "main(['studio', '--no-open'])"),
    ("console", "main(['console', '--no-open', '--store', str(folder / 'shop.duckdb')])"),
    ("statistics", "qrkit.analytics.rates(june)"),
    ("statistics", "qrkit.analytics.compare(june, june, independent=True)"),
    ("statistics", "qrkit.analytics.unusual_days(june)"),
    ("mcp", "main(['mcp'])"),
    ("notebook", "qrkit.report.notebook(qrkit.open_portfolio(folder / 'a.duckdb'), folder / 'june.ipynb')"),
    ("postgresql", "qrkit.open_portfolio('postgresql://joe@db.example/shop')"),
    ("s3", "qrkit.open_portfolio(folder / 'a.duckdb').archive(to='s3://bucket/shop')"),
]


def run_without(packages, programs, folder):
    """What programs say on the error stream, or by the error that ends them, where packages cannot be imported."""
    words = [sys.executable, "-c", WITHOUT, str(folder), json.dumps(sorted(packages)), json.dumps(programs)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What the programs above say in an installation without extras."""
    programs = [BASIC, *(program for _, program in NEEDS_AN_EXTRA)]
    return dict(zip(programs, run_without(PACKAGES, programs, tmp_path_factory.mktemp("light")), strict=True))


def test_every_extra_says_what_it_is_for():
    assert EXTRAS.keys() == OPTIONAL.keys() - {"all"}
    assert {extra for extra, _ in NEEDS_AN_EXTRA} == EXTRAS.keys()


def test_the_extra_all_has_all_of_them():
    (asked,) = OPTIONAL["all"]
    assert (asked.name, asked.extras) == (PROJECT["name"], EXTRAS.keys())


def test_no_package_is_both_needed_and_extra():
    assert PACKAGES.isdisjoint(Requirement(text).name for text in PROJECT["dependencies"])


def test_pictures_checks_tracking_files_and_widgets_need_no_extra(said):
    assert said[BASIC] == ""


@pytest.mark.slow
@pytest.mark.parametrize(("extra", "program"), NEEDS_AN_EXTRA)
def test_what_needs_an_extra_names_it_in_one_sentence(extra, program, said):
    package = re.search(r"the package ([\w-]+) is not installed; ", said[program])[1]
    assert package in [asked.name for asked in OPTIONAL[extra]]
    assert said[program].endswith(f"{EXTRAS[extra]}: pip install 'qrkit-studio[{extra}]'")


@pytest.mark.slow
@pytest.mark.parametrize("package", ["waitress", "babel"])
def test_a_server_without_one_package_alone_names_its_extra(package, tmp_path):
    """Also if only pages need it: else, a server would start, and fail when a visitor scans a code."""
    removed = f"sys.modules[{package!r}] = None"  # what an import finds that fails
    (told,) = run_without([], [f"{removed}; qrkit.server.Server(shop, port=0)"], tmp_path)
    assert f"the package {package} is not installed" in told
    assert "pip install 'qrkit-studio[server]'" in told
