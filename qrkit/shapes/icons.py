"""Icons by name: the Material Design Icons (Apache-2.0), in a box of 24 x 24; a few reach a little over its edge."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from zipfile import ZipFile

from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.outline import Outline

__all__ = ["icon", "icon_names"]


def icon_names() -> tuple[str, ...]:
    """All names, by the alphabet."""
    return tuple(sorted(_members()))


@lru_cache(maxsize=256)
def icon(name: str) -> Outline:
    """An icon's form.

    Raises:
        InvalidParameter: There is no such icon.
    """
    if name not in _members():
        raise InvalidParameter(Problem("icon", name, "is not an icon; " + nearest(name, icon_names())))
    # Every picture of the collection is one path, filled by the non-zero rule.
    picture = _archive().read(_members()[name]).decode()
    return Outline.parse(picture.partition('<path d="')[2].partition('"')[0])


@cache
def _archive() -> ZipFile:
    # In memory: no file stays open, and threads do not move one another's place in it.
    return ZipFile(BytesIO(files("justmyresource_mdi").joinpath("icons.zip").read_bytes()))


@cache
def _members() -> dict[str, str]:
    """Names and the files they are in."""
    return {file.removesuffix(".svg"): file for file in _archive().namelist() if file.endswith(".svg")}
