"""What is loaded late: public names, modules under their short names, and methods that higher rooms have."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from inspect import signature

import pytest

import qrkit
from qrkit import Design
from qrkit.late import DOORS
from tests.sweeps import quick_first


def run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("door", quick_first(DOORS))
def test_a_short_name_is_a_name_of_the_same_module(door):
    program = (
        f"import sys; import {door}; import qrkit; home = sys.modules[{DOORS[door]!r}];"
        f"print({door} is sys.modules[{door!r}] is home, home.__spec__.name)"
    )
    ran = run(program)
    assert ran.stderr == ""
    assert ran.stdout == f"True {DOORS[door]}\n"


def test_modules_below_a_short_name_are_the_same_modules():
    program = (
        "from qrkit.wsgi.handlers.track import get_qrcode; from qrkit.server.handlers import track;"
        "print(get_qrcode is track.get_qrcode)"
    )
    assert run(program).stdout == "True\n"


GONE = [
    "records", "scannability", "draw.layers", "widgets.page", "decode", "wsgi.nothing", "store.moving", "visits.places",
]  # fmt: skip
"""Names of modules of older versions."""


@pytest.mark.parametrize("name", GONE)
def test_module_names_of_older_versions_are_gone(name):
    with pytest.raises(ModuleNotFoundError):
        import_module(f"qrkit.{name}")


def test_unknown_module_is_not_found_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'qrkit\.nonsense'"):
        import_module("qrkit.nonsense")


HIGHER = ("check", "make_scannable", "with_logo", "largest_logo", "frame_as_wrapper")
"""Methods of `Design` whose functions are in higher rooms."""


@pytest.mark.parametrize("name", HIGHER)
def test_a_method_of_a_higher_room_is_its_function_with_signature_and_text(name):
    function = getattr(Design, name)
    assert vars(Design)[name] is function
    assert next(iter(signature(function).parameters)) in ("design", "subject")
    assert "Args:" in function.__doc__ or name == "frame_as_wrapper"
    assert "Raises:" in function.__doc__
    bound = signature(getattr(Design(content="hi"), name))
    assert [*bound.parameters] == [*signature(function).parameters][1:]


@pytest.mark.slow
def test_help_shows_methods_that_nothing_has_used():
    program = "import pydoc, qrkit; print(pydoc.plain(pydoc.render_doc(qrkit.Design)))"
    told = run(program).stdout
    for name in HIGHER:
        assert re.search(rf"{name}\((design|subject): ", told)
    assert "The layer below the logo is a plate" in told


@pytest.mark.slow
def test_a_design_loads_no_higher_room_until_it_is_asked_to():
    program = (
        "import sys, qrkit; design = qrkit.Design(content='hi'); "
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('qrkit.')}; "
        "print(rooms & {'drawing', 'scanning', 'pictures', 'notebook'})"
    )
    assert run(program).stdout == "set()\n"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'qrkit' has no attribute 'nonsense'"):
        qrkit.nonsense  # noqa: B018 - looking it up is the test
