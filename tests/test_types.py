"""What type checkers of users see: `py.typed`, and constructors that take what they read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NotRequired, get_origin, get_type_hints

import pytest

import qrkit
from qrkit.design import decoration, design, gradient

ROOT = Path(__file__).parent.parent

FIELDS = [
    (getattr(module, name.removesuffix("Fields")), fields)
    for module in (design, decoration, gradient)
    for name, fields in vars(module).items()
    if name.endswith("Fields") and fields.__module__ == module.__name__
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
with qrkit.open_portfolio(":memory:") as shop:
    door = shop.insert_qrcode("https://example.com", location={"latitude": 38.7, "longitude": -9.1})
    address: str = shop.image(door, foreground="navy").design.content
"""

SLIPS = """\
Layer("icon:heart", x=0, y=0, width=9)
Marker("eye-99")
Design(content="hi", sizes=9)
qrkit.generate("hi", ec="X")
brand.make_scannable(my=("ec",))
"""


@pytest.mark.parametrize(("model", "fields"), FIELDS, ids=lambda one: one.__name__)
def test_types_name_every_field_that_a_constructor_takes(model, fields):
    kinds = get_type_hints(fields, include_extras=True)
    required = {name for name, kind in kinds.items() if fields.__total__ and get_origin(kind) is not NotRequired}
    by_name = {"content", model.leading} & model.model_fields.keys() - kinds.keys()  # an argument beside the others
    assert kinds.keys() | by_name == model.model_fields.keys()
    assert required | by_name == {name for name, field in model.model_fields.items() if field.is_required()}


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
