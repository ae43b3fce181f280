"""What is loaded late: public names, and modules under the names they had in 1.0."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from importlib import import_module
from inspect import signature

import pytest

import qrkit
from qrkit import Design
from qrkit.late import DOORS, OLD_PATHS
from tests.sweeps import quick_first

RENAMED = [line.split() for line in OLD_PATHS.strip().splitlines() if not line.endswith(".")]


@pytest.mark.parametrize(("old", "now"), RENAMED, ids=[old for old, _ in RENAMED])
def test_module_has_its_old_name_too(old, now):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sys.modules.pop(f"qrkit.{old}", None)
        module = import_module(f"qrkit.{old}")
    assert module is import_module(f"qrkit.{now}")
    assert module.__spec__.name == f"qrkit.{now}"
    told = [str(one.message) for one in caught if f"qrkit.{old} is now qrkit.{now};" in str(one.message)]
    assert len(told) == (old not in DOORS)


def run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("door", quick_first(DOORS, 2))
def test_short_names_are_here_to_stay(door):
    ran = run(f"import qrkit.{door}, qrkit; print(qrkit.{door}.__name__)")
    assert ran.stderr == ""
    assert ran.stdout.startswith("qrkit.")


def test_modules_below_an_old_name_are_the_same_modules():
    program = (
        "import warnings; warnings.simplefilter('ignore');"
        "from qrkit.wsgi.handlers.track import get_qrcode; from qrkit.draw.layers import draw_layers;"
        "from qrkit.server.handlers import track; from qrkit.drawing import layers;"
        "print(get_qrcode is track.get_qrcode, draw_layers is layers.draw_layers)"
    )
    assert run(program).stdout == "True True\n"


def test_decode_stays_a_function_when_its_module_is_imported_by_its_old_name():
    assert run("import qrkit.decode, qrkit; print(callable(qrkit.decode))").stdout == "True\n"


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


@pytest.mark.parametrize(("package", "name"), [("design", "kanji_value"), ("symbol", "side_of"), ("symbol", "roles")])
def test_names_of_a_module_that_became_a_package_are_found(package, name):
    with pytest.warns(DeprecationWarning, match=rf"use qrkit\.{package}\.{package}\.{name}$"):
        value = getattr(import_module(f"qrkit.{package}"), name)
    assert value is getattr(import_module(f"qrkit.{package}.{package}"), name)
