"""The licences of all packages that qrkit brings along, as Markdown: python .ci/list_licences.py FILE."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

__all__ = ["FAMILIES", "licence_of", "needed", "page"]

FAMILIES = {
    "MIT": r"\bMIT\b|MIT-CMU|MIT-0",
    "BSD": r"BSD",
    "Apache 2.0": r"Apache",
    "ISC": r"\bISC\b",
    "PSF": r"PSF|Python Software Foundation",
    "MPL 2.0": r"MPL-2\.0",
    "ZPL 2.1": r"ZPL|Zope",
    "LGPL": r"LGPL|Lesser General Public",
}
"""Licences under which a package may come along, by what its metadata say: a program of any licence may use it."""

HEAD = """# Licences of what comes along

qrkit is under the MIT licence. `pip install` brings these packages, none of which is copied into it; all may be used by
a program of any licence. LGPL and MPL ask that changes of such a package itself stay open; libvips and quirc are loaded
as libraries of their own, and can be replaced. `make licences` writes this page, and a test compares it with what is
installed.

| package | licence | needed by |
|---|---|---|
"""


def needed() -> dict[str, set[str]]:
    """Every package that an installation has, by its name, with those that need it."""
    found: dict[str, set[str]] = {}
    waiting = [("qrkit-studio", frozenset[str]())]
    while waiting:
        name, extras = waiting.pop()
        for requirement in _requirements(distribution(name), extras):
            other = _normal(requirement.name)
            if other not in found:
                waiting.append((other, frozenset(requirement.extras)))
            found.setdefault(other, set()).add(name)
    return found


def licence_of(name: str) -> str:
    """The family of a package's licence, or several of them; "" where none is known."""
    meta = distribution(name).metadata
    told = [meta.get("License-Expression") or ""]
    told += [line for line in meta.get_all("Classifier") or [] if line.startswith("License ::")]
    # A whole text may stand there; its first line says what it is.
    told += (meta.get("License") or "").splitlines()[:1]
    return ", ".join(family for family, said in FAMILIES.items() if any(re.search(said, one) for one in told))


def page() -> str:
    """All of them as a table, those that qrkit itself asks for first."""
    packages = needed()
    rows = sorted((("qrkit-studio" not in by, name, by) for name, by in packages.items()))
    lines = [f"| {name} | {licence_of(name)} | {', '.join(sorted(by - {name}))} |" for _, name, by in rows]
    return HEAD + "\n".join(lines) + "\n"


def _requirements(package: Distribution, extras: frozenset[str]) -> Iterator[Requirement]:
    for text in package.requires or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield one


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8", newline="\n")
