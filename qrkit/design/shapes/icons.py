"""Loads Material Design Icons (Apache-2.0) by name, in a box of 24 x 24; a few extend slightly beyond its edge."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from zipfile import ZipFile

from qrkit.design.outline import Outline
from qrkit.errors import InvalidParameter, Problem, first_of, nearest

MOST_PROPOSED = 4
"""Names that an error suggests."""


def icon_names(containing: str = "") -> tuple[str, ...]:
    """List icon names in alphabetical order. Layers and sprites accept them as `icon:NAME`.

    Args:
        containing: Return only names that contain this string, ignoring case.

    Example:
        >>> icon_names("shopping-s")
        ('shopping-search', 'shopping-search-outline')
    """
    part = containing.strip().lower()
    return tuple(sorted(name for name in _members() if part in name))


@lru_cache(maxsize=256)
def icon(name: str) -> Outline:
    """Load the outline of an icon."""
    return Outline.parse(icon_path(name))


def icon_path(name: str) -> str:
    """Return an icon as the `d` of an SVG path."""
    if name not in _members():
        raise InvalidParameter(Problem("icon", name, f"is not an icon; {_suggestion(name)}"))
    # Every icon of the collection is one path, filled by the non-zero rule.
    picture = _archive().read(_members()[name]).decode()
    return picture.partition('<path d="')[2].partition('"')[0]


def _suggestion(name: str) -> str:
    """Suggest names that contain this one, else similar names."""
    longer = [icon for icon in icon_names(name) if icon.startswith(name) or f"-{name}" in icon] if name.strip() else []
    fuller = sorted(longer, key=lambda icon: (not icon.startswith(name), icon))
    if not fuller or name.lower() in fuller:
        return nearest(name, icon_names())
    return f"there are {first_of([repr(icon) for icon in fuller], MOST_PROPOSED)}"


@cache
def _archive() -> ZipFile:
    # In memory, so that no file stays open and threads do not share a read position.
    return ZipFile(BytesIO(files("justmyresource_mdi").joinpath("icons.zip").read_bytes()))


@cache
def _members() -> dict[str, str]:
    """Map icon names to their files in the archive."""
    return {file.removesuffix(".svg"): file for file in _archive().namelist() if file.endswith(".svg")}
