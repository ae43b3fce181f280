"""The licenses of all packages that qrkit needs, as Markdown: python .ci/list_licences.py FILE."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

__all__ = ["FAMILIES", "extras", "licence_of", "needed", "page"]

OURS = "qrkit-studio"

FAMILIES = {
    "MIT": r"\bMIT\b|MIT-CMU|MIT-0|Permission is hereby granted, free of charge",
    "BSD": r"BSD",
    "Apache 2.0": r"Apache",
    "ISC": r"\bISC\b",
    "PSF": r"PSF|Python Software Foundation",
    "MPL 2.0": r"MPL-2\.0",
    "ZPL 2.1": r"ZPL|Zope",
    "LGPL": r"LGPL|Lesser General Public",
    "OFL 1.1": r"\bOFL\b",
}
"""Licenses of packages that a program of any license may use, by what their metadata say."""

HEAD = """# Licenses of the packages that qrkit needs

qrkit is under the MIT license. `pip install` brings these packages; those needed by an extra, such as
`qrkit-studio[server]`, come only with that extra. None of them is copied into qrkit, and programs of any license may
use them all. LGPL and MPL require that changes to such a package itself stay open; libvips, quirc and psycopg are
separate libraries, and can be replaced. OFL forbids selling a font by itself, and sets no conditions for pictures
with its letters. `make licences` writes this page, and a test compares it with what is installed.

| package | license | needed by |
|---|---|---|
"""


def needed() -> dict[str, set[str]]:
    """Every package that an installation with all extras has, by its name, with those that need it."""
    found: dict[str, set[str]] = {}
    waiting = [(OURS, extra) for extra in ("", *extras())]
    while waiting:
        name, extra = waiting.pop()
        for requirement in _requirements(distribution(name), extra):
            other = _normal(requirement.name)
            if other not in found:
                waiting += [(other, one) for one in ("", *requirement.extras)]
            found.setdefault(other, set()).add(f"{name}[{extra}]" if name == OURS and extra else name)
    return found


def extras() -> list[str]:
    """The extras of qrkit, without the one that stands for all."""
    return sorted(set(distribution(OURS).metadata.get_all("Provides-Extra") or ()) - {"all"})


def licence_of(name: str) -> str:
    """The family of a package's license, or several of them; "" where none is known."""
    meta = distribution(name).metadata
    told = [meta.get("License-Expression") or ""]
    told += [line for line in meta.get_all("Classifier") or [] if line.startswith("License ::")]
    # A whole text may stand there; its first line says what it is.
    told += (meta.get("License") or "").splitlines()[:1]
    if not any(told):  # resvg_py has the text alone
        files = distribution(name).files or ()
        told += [file.read_text(encoding="utf-8") for file in files if file.match("licenses/LICENSE")]
    return ", ".join(family for family, said in FAMILIES.items() if any(re.search(said, one) for one in told))


def page() -> str:
    """All of them as a table, those that qrkit itself asks for first."""
    packages = needed()
    rows = sorted((not any(one.startswith(OURS) for one in by), name, by) for name, by in packages.items())
    lines = [f"| {name} | {licence_of(name)} | {', '.join(sorted(by - {name}))} |" for _, name, by in rows]
    return HEAD + "\n".join(lines) + "\n"


def _requirements(package: Distribution, extra: str) -> Iterator[Requirement]:
    """What a package needs with an extra and not without it; with "", what it always needs."""
    for text in package.requires or ():
        one = Requirement(text)
        always = one.marker is None or one.marker.evaluate({"extra": ""})
        if always != bool(extra) and (always or one.marker.evaluate({"extra": extra})):
            yield one


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8", newline="\n")
