"""Build the wheel and the sdist, and try each in empty environments of every Python there is: make package.

Those that passed lie in dist/, ready to be uploaded.

What is tried knows nothing of the checkout: it runs elsewhere, isolated, with what a user would install, first without
any extra, then with all. Versions are those of requirements.lock, so that a run says something about qrkit and not
about the day.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
UV = Path(sys.executable).with_name("uv")

LIGHT = """
import sys
import qrkit
assert not {"pandas", "numpy", "duckdb", "PIL"} & set(sys.modules), "import qrkit is not light any longer"
from qrkit import Design, Layer, Markers, analytics, charts, report
from qrkit.widgets import Designer

design = Design(content="https://example.com", ec="H", markers=Markers.all("eye-2"), layers=[
    Layer("icon:heart", x=126, y=126, width=44, height=44)])
image = qrkit.generate(design)
for format in ("png", "jpg", "webp", "svg", "eps", "pdf", "xaml", "zip"):
    assert image.to_bytes(format), format
assert qrkit.decode(image.to_bytes("png")).content == design.content
assert design.check().verdict == "robust"
Designer(design).close()
with qrkit.open_portfolio("shop.duckdb", base_url="https://go.example.com") as shop:
    shop.insert_qrcode("https://example.com/spring", name="Door", short_code="door")
    for suffix in ("csv", "xls", "xlsx", "xml", "json", "zip"):
        shop.export_file(f"codes.{suffix}")
        assert shop.import_file(f"codes.{suffix}").created == 0, suffix
"""
"""What an installation without extras does."""

MISSING = """
from importlib import import_module

from qrkit.__main__ import parser
from qrkit.errors import EXTRAS, MissingProgram

shop = qrkit.open_portfolio("shop.duckdb")
june = shop.scans.where(since="2026-06-01", until="2026-07-01")
NEEDED = {
    "console": lambda: import_module("qrkit.notebook.console.server"),
    "mcp": lambda: (asked := parser().parse_args(["mcp"])).run(asked),
    "notebook": lambda: report.notebook(shop, "june.ipynb"),
    "postgresql": lambda: qrkit.open_portfolio("postgresql://joe@db.example/shop"),
    "s3": lambda: shop.archive(to="s3://bucket/shop"),
    "server": lambda: qrkit.server.make_app,
    "statistics": lambda: analytics.rates(june),
}
assert NEEDED.keys() == EXTRAS.keys()
for extra, use in NEEDED.items():
    try:
        use()
    except MissingProgram as error:
        assert str(error).endswith(f"pip install 'qrkit-studio[{extra}]'"), error
    else:
        raise AssertionError(f"the extra {extra} is not needed")
"""
"""What it says of the rest."""

WHOLE = """
from qrkit.server import Client, make_app

with qrkit.open_portfolio("shop.duckdb") as shop:
    phone = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Version/18.4 Mobile Safari/604.1"}
    assert Client(make_app(shop.store), headers=phone).get("/door").status == 302
    assert analytics.top_qrcodes(shop.scans)["scans"].tolist() == [1]
    assert charts.lines(analytics.scans_per_day(shop.scans))._repr_mimebundle_()
print(sys.version.split()[0], qrkit.__name__, "works")
"""


def main() -> None:
    """Build, look inside, install, try."""
    with TemporaryDirectory() as folder:
        run(UV, "build", "--quiet", "--out-dir", folder, ROOT)
        wheel, sdist = (next(Path(folder).glob(end)) for end in ("*.whl", "*.tar.gz"))
        check_content(wheel, sdist)
        pythons = dict(found())
        for version in VERSIONS:
            if version not in pythons:
                print(f"Python {version} is not on this machine: not tried")
        for number, python in enumerate(pythons.values()):
            # One of them from the source, as a distributor would.
            package, place = sdist if number == 0 else wheel, Path(folder) / f"tried{number}"
            if number == 0:  # what is light is so on every Python
                attempt_light(python, package, place / "light")
            attempt_whole(python, package, place / "whole")
        keep(wheel, sdist)


def check_content(wheel: Path, sdist: Path) -> None:
    """Both hold the package, and the wheel nothing else."""
    with ZipFile(wheel) as file:
        inside = file.namelist()
    foreign = [name for name in inside if not name.startswith("qrkit/") and ".dist-info/" not in name]
    assert not foreign, f"the wheel holds {foreign}"
    assert not [name for name in inside if "test" in name.rsplit("/", 1)[-1]], "the wheel holds tests"
    kept = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("qrkit/**/*") if is_source(path)}
    assert kept <= set(inside), f"the wheel lacks {sorted(kept - set(inside))}"
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert kept | {"pyproject.toml", "README.md", "LICENSE"} <= names, "the sdist lacks files"
    print(f"{wheel.name}: {len(inside)} files, {wheel.stat().st_size / 1e6:.1f} MB")


def keep(*packages: Path) -> None:
    """Put them where `uv publish` looks, and nothing else."""
    folder = ROOT / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for package in packages:
        shutil.copy(package, folder)


def is_source(path: Path) -> bool:
    """Whether a file is one that the package needs."""
    return path.is_file() and path.suffix != ".pyc"


def found() -> Iterator[tuple[str, str]]:
    """The Pythons of this machine, by their version."""
    if pyenv := shutil.which("pyenv"):
        # It shows other versions than its chosen one only to those who name them.
        listed = subprocess.run([pyenv, "versions", "--bare"], capture_output=True, text=True, check=True).stdout
        os.environ["PYENV_VERSION"] = ":".join(listed.split())
    for version in VERSIONS:
        names = ([sys.executable] if sys.version_info[:2] == tuple(map(int, version.split("."))) else []) + [
            f"python{version}"
        ]
        for name in filter(shutil.which, names):
            asked = [name, "-c", "import sys; print(sys.executable)"]
            told = subprocess.run(asked, capture_output=True, text=True, check=False)
            if told.returncode == 0:
                yield version, told.stdout.strip()
                break


def attempt_light(python: str, package: Path, place: Path) -> None:
    """Try an installation without extras: what it can do, what it says of the rest, and how large it is."""
    environment, work = installed(python, package, place)
    try_program(LIGHT + MISSING, environment, work)
    sizes = [path.lstat().st_size for path in environment.rglob("*") if path.is_file()]
    folders = len(list(environment.glob("lib/python*/site-packages/*.dist-info")))
    print(f"without extras: {folders} packages, {sum(sizes) / 1e6:.0f} MB")


def attempt_whole(python: str, package: Path, place: Path) -> None:
    """Try an installation with all extras."""
    environment, work = installed(python, f"qrkit-studio[all] @ {package.as_uri()}", place)
    print(try_program(LIGHT + WHOLE, environment, work), end="")
    run(environment / "bin" / "qrkit", "demo", where=work)
    assert (work / "demo" / "report.html").stat().st_size > 100_000


def try_program(program: str, environment: Path, work: Path) -> str:
    """Run a program in an environment, where no file of the checkout is found."""
    python = environment / "bin" / "python"
    return run(python, "-I", "-W", "error::DeprecationWarning:qrkit", "-c", program, where=work)


def installed(python: str, package: object, place: Path) -> tuple[Path, Path]:
    """Install a package in an environment of its own; gives that, and an empty folder to work in."""
    environment, work = place / "environment", place / "work"
    work.mkdir(parents=True)
    run(UV, "venv", "--quiet", "--python", python, environment)
    inside = environment / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", inside, "--constraint", ROOT / "requirements.lock", package)
    return environment, work


def run(*command: object, where: Path = ROOT) -> str:
    """Run a program to its end, and give what it printed; or stop."""
    done = subprocess.run(
        list(map(str, command)), cwd=where, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed: {command[0]}")
    return done.stdout


if __name__ == "__main__":
    main()
