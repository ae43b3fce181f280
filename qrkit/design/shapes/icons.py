"""Icons by name: the Material Design Icons (Apache-2.0), in a box of 24 x 24; a few reach a little over its edge."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from zipfile import ZipFile

from qrkit.design.outline import Outline
from qrkit.errors import InvalidParameter, Problem, nearest

__all__ = ["icon", "icon_names"]

MOST_PROPOSED = 4
"""Names that an error proposes."""


def icon_names(containing: str = "") -> tuple[str, ...]:
    """The names of icons, by the alphabet; a layer or a sprite takes one as `icon:NAME`.

    Args:
        containing: Only those in which this stands, in any case.

    Example:
        >>> icon_names("shopping-s")
        ('shopping-search', 'shopping-search-outline')
    """
    part = containing.strip().lower()
    return tuple(sorted(name for name in _members() if part in name))


@lru_cache(maxsize=256)
def icon(name: str) -> Outline:
    """An icon's form.

    Raises:
        InvalidParameter: There is no such icon.
    """
    if name not in _members():
        raise InvalidParameter(Problem("icon", name, f"is not an icon; {_proposed(name)}"))
    # Every picture of the collection is one path, filled by the non-zero rule.
    picture = _archive().read(_members()[name]).decode()
    return Outline.parse(picture.partition('<path d="')[2].partition('"')[0])


def _proposed(name: str) -> str:
    """Names that say more than this one, else those that are written nearly so."""
    begun = [one for one in icon_names(name) if one.startswith(name) or f"-{name}" in one] if name.strip() else []
    fuller = sorted(begun, key=lambda one: (not one.startswith(name), one))
    if not fuller or name.lower() in fuller:
        return nearest(name, icon_names())
    more = f" and {len(fuller) - MOST_PROPOSED} more" if len(fuller) > MOST_PROPOSED else ""
    return f"there are {', '.join(map(repr, fuller[:MOST_PROPOSED]))}{more}"


@cache
def _archive() -> ZipFile:
    # In memory: no file stays open, and threads do not move one another's place in it.
    return ZipFile(BytesIO(files("justmyresource_mdi").joinpath("icons.zip").read_bytes()))


@cache
def _members() -> dict[str, str]:
    """Names and the files they are in."""
    return {file.removesuffix(".svg"): file for file in _archive().namelist() if file.endswith(".svg")}
