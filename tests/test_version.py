"""The version of qrkit."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import qrkit


def test_the_version_is_that_of_the_installation():
    assert qrkit.__version__ == version("qrkit-studio")


def test_an_import_does_not_look_for_the_version():
    asked = "import sys, qrkit; sys.exit('importlib.metadata' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0
