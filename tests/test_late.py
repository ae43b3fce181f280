"""What is loaded late: public names, and modules under the names they had in 1.0."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module

import pytest

import qrkit
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


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'qrkit' has no attribute 'nonsense'"):
        qrkit.nonsense  # noqa: B018 - looking it up is the test


@pytest.mark.parametrize(("package", "name"), [("design", "kanji_value"), ("symbol", "side_of"), ("symbol", "roles")])
def test_names_of_a_module_that_became_a_package_are_found(package, name):
    with pytest.warns(DeprecationWarning, match=rf"use qrkit\.{package}\.{package}\.{name}$"):
        value = getattr(import_module(f"qrkit.{package}"), name)
    assert value is getattr(import_module(f"qrkit.{package}.{package}"), name)
