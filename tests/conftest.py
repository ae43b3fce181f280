"""What all tests share: the mark `needs` for programs that are not Python packages."""

import os
import shutil

import pytest

PACKAGES = {"gs": "ghostscript"}
"""Debian's package of a program, where it is not named as the program is."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose programs are missing, or fail it where QRKIT_REQUIRE_PROGRAMS=1 asks for them."""
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            if shutil.which(program) is None:
                reason = f"needs the program {program} (Debian: apt install {PACKAGES.get(program, program)})"
                if os.environ.get("QRKIT_REQUIRE_PROGRAMS") == "1":
                    pytest.fail(reason, pytrace=False)
                pytest.skip(reason)
