"""What type checkers, editors and `help()` tell users: parameters by their names, and what each may be."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import qrkit
from qrkit import Design
from qrkit.design import brand, decoration, frames, gradient
from qrkit.design.design import DesignChanges, DesignFields
from qrkit.notebook.accessor import QRAccessor
from qrkit.portfolio.templates import Templates

ROOT = Path(__file__).parent.parent


def constructors():
    """Each record whose `__init__` type checkers see, and its parameters: those required, then the others."""
    for module in (brand, decoration, frames, gradient):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            made = next((one for one in ast.walk(node) if isinstance(one, ast.FunctionDef)), None)
            if isinstance(node, ast.ClassDef) and made and made.name == "__init__":
                arguments = made.args
                optional = {
                    one.arg for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default
                }
                names = {one.arg for one in [*arguments.args[1:], *arguments.kwonlyargs]}
                yield pytest.param(getattr(module, node.name), names - optional, optional, id=node.name)


TAKING_FIELDS = [
    (qrkit.generate, DesignFields, "M"),
    (qrkit.generate_many, DesignFields, "M"),
    (qrkit.generate_sequence, DesignFields, "M"),
    (QRAccessor.generate, DesignFields, "M"),
    (QRAccessor.check, DesignFields, "M"),
    (QRAccessor.save, DesignFields, "M"),
    (qrkit.Brand.design, DesignFields, "M"),
    (Templates.design, DesignFields, "M"),
    (qrkit.Portfolio.image, DesignFields, ...),
    (Design.replace, DesignChanges, ...),
    (Design.resized, DesignChanges, ...),
]

USER = """\
import qrkit
from qrkit import Color, Design, Gradient, Layer, Marker, Markers, Modules, Placeholder, Sprite, Stop, Wrapper
from qrkit.design.limits import MARKER_PATTERNS

brand = Design(
    content="https://example.com",
    ec="H",
    foreground=Gradient.linear("#0B3D91", "#0B5563"),
    background="white",
    modules=Modules(type="sprite", sprites=[Sprite(content="icon:heart", width=5, height=5)]),
    markers=Markers.all("eye-2", inner_color="#9A3412"),
    layers=[Layer("icon:heart", x=126, y=126, width=68, height=68, color=Color.parse("navy"))],
    wrapper=Wrapper(source="x", width=9, height=9, placeholder=Placeholder(x=1, y=1, width=5, height=5)),
)
corners = [Markers(top_left=Marker(pattern)) for pattern in MARKER_PATTERNS]
fading = Gradient(gradient="radial", stops=[Stop(offset=0, color="red"), {"offset": 1, "color": "blue"}])
image: qrkit.QRImage = qrkit.generate(brand.replace(content="hi"), size=10)
plain: tuple[qrkit.QRImage | None, ...] = qrkit.generate_many(["a", "b"], ec="Q", foreground="navy").images
used: float = brand.make_scannable(may=("ec",), level="static").after.score
other: Design = brand.replace(content="other", quiet_zone=4).resized(content="longer", error_correction="Q")
level: str = qrkit.generate("hi", error_correction="H", mode="byte").design.error_correction
logo = Design(content="hi").with_logo("icon:heart", 0.2, color="red", display="overlay", tolerance=1.5).layers[0]
with qrkit.open_portfolio(":memory:") as shop:
    door = shop.insert_qrcode("https://example.com", location={"latitude": 38.7, "longitude": -9.1})
    address: str = shop.image(door, foreground="navy").design.content
    view: qrkit.Scans = shop.scans.where(since="2026-06-01", until=None, kinds=["scan"], time_zone="Europe/Ljubljana")
    days = qrkit.charts.lines(qrkit.analytics.scans_per_day(view.where(qrcode_id=[door.id]), by="campaign"))
    server = qrkit.server.Server(shop, port=0, threads=4)
"""

SLIPS = """\
Layer("icon:heart", x=0, y=0, width=9)
Marker("eye-99")
Design(content="hi", sizes=9)
qrkit.generate("hi", ec="X")
brand.make_scannable(my=("ec",))
brand.largest_logo("icon:heart", plce=(0.5, 0.5))
brand.with_logo("icon:heart", tolerence=2)
brand.with_logo(1)
brand.check(levels="static")
brand.replace(sizee=9)
brand.resized(eror_correction="H")
Markers.all("eye-2", inner_colour="navy")
shop.scans.where(campain_id="x")
shop.scans.where(kinds=["human"])
qrkit.analytics.scans_per_day(view, time_zone="Europe/Ljubljana")
qrkit.server.Server(shop, prot=0)
qrkit.widgets.ScanDashboard(shop).ask(form="2026-06-01")
"""


@pytest.mark.parametrize(("model", "required", "optional"), list(constructors()))
def test_types_name_every_field_that_a_constructor_takes(model, required, optional):
    assert required | optional == model.model_fields.keys()
    assert required == {name for name, field in model.model_fields.items() if field.is_required()}


def test_types_name_every_field_of_a_design():
    assert DesignFields.__annotations__.keys() | {"content"} == Design.model_fields.keys() | Design.other_names.keys()


@pytest.mark.parametrize(("function", "fields", "default"), TAKING_FIELDS, ids=lambda one: getattr(one, "__name__", ""))
def test_help_lists_the_fields_of_a_design(function, fields, default):
    parameters = inspect.signature(function).parameters
    assert fields.__annotations__.keys() <= parameters.keys()
    assert parameters["ec"].default == parameters["error_correction"].default == default
    assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())


@pytest.mark.slow
def test_strict_mypy_accepts_what_users_write_and_finds_their_slips(tmp_path):
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n[mypy-qrkit.*]\nfollow_imports = silent\n")
    (tmp_path / "user.py").write_text(USER + SLIPS)
    told = subprocess.run(
        [sys.executable, "-m", "mypy", "user.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    wrong = {int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line}
    first = USER.count("\n") + 1
    assert wrong == {*range(first, first + SLIPS.count("\n"))}, told


def test_package_says_that_it_has_types():
    assert (Path(qrkit.__file__).parent / "py.typed").is_file()
