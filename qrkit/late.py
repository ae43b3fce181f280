"""Loads on demand: names in packages, methods of data classes, notebook displays, and heavy libraries.

A room is a folder or file directly in `qrkit/`. A lower room never imports a higher one. It names what it needs from
there as `room.module:name`, here or in the facade, and the name is loaded on first use. So a plain QR Code loads only
the modules that it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # methods of `Design` from higher rooms, for type checkers and editors
    from qrkit.drawing.frames.framing import frame_as_wrapper
    from qrkit.drawing.resizing import followed
    from qrkit.scanning import check
    from qrkit.scanning.largest_logo import largest_logo
    from qrkit.scanning.logo_size import with_logo
    from qrkit.scanning.repair import make_scannable

__all__ = [
    "DOORS", "UNSEEN", "Image", "Later", "Shown", "Watch", "by_name", "check", "etree", "followed", "frame_as_wrapper",
    "html", "largest_logo", "late_names", "make_scannable", "named", "notebook", "np", "on_demand", "open_doors", "pd",
    "watch", "with_logo",
]  # fmt: skip

Item = TypeVar("Item")
Watch = Callable[[Iterable[Any], str, int | None], Iterable[Any]]
"""Takes items, a word for what is done with them and their number (None if unknown); returns the same items."""

DOORS = {
    "qrkit.accessor": "qrkit.notebook.accessor",
    "qrkit.widgets": "qrkit.notebook.widgets",
    "qrkit.wsgi": "qrkit.server",
}
"""Short names of modules."""


class _LateModule(ModuleType):
    """A module of a library, which is loaded when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import html

    import numpy as np
    import pandas as pd
    from lxml import etree
    from PIL import Image
else:
    Image, etree, html, np, pd = map(_LateModule, ("PIL.Image", "lxml.etree", "html", "numpy", "pandas"))


def named(origin: str) -> Any:
    """Import `room.module:name`, or the module `room.module`."""
    module, _, attribute = origin.partition(":")
    value: Any = import_module(f"qrkit.{module}")
    return getattr(value, attribute) if attribute else value


def on_demand(origin: str) -> Callable[..., Any]:
    """Return a function that loads the function `room.module:name` on first use, and calls it."""
    load = cache(partial(named, origin))
    return lambda *arguments, **options: load()(*arguments, **options)


def by_name(names: Mapping[str, str]) -> dict[str, str]:
    """Return the origin of each name. `names` maps `room.module` to its names, separated by spaces."""
    return {name: f"{module}:{name}" for module, listed in names.items() for name in listed.split()}


def late_names(package: str, origins: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package, given by its full name, that loads each name from its module on first use.

    Origins are `room.module:name` by name, or `room.module` if the name is that of the module itself.
    """

    def load(name: str) -> Any:
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        value = named(origins[name])
        setattr(sys.modules[package], name, value)
        return value

    return load


class _Doors:
    """Imports modules and their submodules by short names, which give the same modules as the full names.

    A finder and a loader without their base classes: `importlib.abc` would add a third to the time of `import qrkit`.
    """

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        door = next((door for door in DOORS if f"{fullname}.".startswith(f"{door}.")), None)
        if door is None:
            return None
        origin = DOORS[door] + fullname.removeprefix(door)
        return ModuleSpec(fullname, self, origin=origin)  # type: ignore[arg-type]  # has its methods

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: the import system creates a module, which `exec_module` replaces with the existing one."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(str(module.__spec__ and module.__spec__.origin))


def open_doors() -> None:
    """Let modules be imported by their short names."""
    sys.meta_path.insert(0, _Doors())


# ---- notebooks

notebook: dict[str, str] = {}
"""What notebooks are shown, as `room.module:name`: `view` of an object, and `progress_bar`. The facade fills it."""


class Shown:
    """Base class of objects that a notebook shows as HTML or as an image."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = named(notebook["view"])(self)
        return bundle


def watch(*, progress: bool) -> Watch:
    """Return a progress bar for a loop, on standard error or below a notebook cell; `UNSEEN` without `progress`."""
    bar: Watch = named(notebook["progress_bar"]) if progress else UNSEEN
    return bar


def _iterate(items: Iterable[Item], _what: str, _total: int | None) -> Iterator[Item]:
    return iter(items)


UNSEEN: Watch = _iterate
"""A `Watch` that shows nothing."""


# ---- methods of data classes


class Later:
    """A method that a higher room provides, as `room.module:name`. On first use, that function is set on the class."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        function = named(self._origin)
        setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)


if not TYPE_CHECKING:
    check = Later("scanning:check")
    make_scannable = Later("scanning.repair:make_scannable")
    with_logo = Later("scanning.logo_size:with_logo")
    largest_logo = Later("scanning.largest_logo:largest_logo")
    frame_as_wrapper = Later("drawing.frames.framing:frame_as_wrapper")
    followed = Later("drawing.resizing:followed")
