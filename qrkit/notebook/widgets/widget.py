"""`Page`: what all widgets here have in common: one of each name, one answer to each message, and a picture of it.

A widget is one page with a script of its own: plain ipywidgets would be some hundred, whose keys JupyterLab takes for
its shortcuts. The script draws the state it is told and sends what hands do; every rule is asked in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import anywidget
from traitlets import Dict, Unicode

from qrkit.errors import QrkitError
from qrkit.notebook.widgets.twin import Pictures, Twin

__all__ = ["Handler", "Page", "script", "style"]

Handler = Callable[[Any, dict[str, Any]], None]
"""Does what a message asks of a widget."""

HERE = Path(__file__).parent


def script(*names: str) -> str:
    """The files of a widget's script as one module; `page.js` is the first of all."""
    return "\n".join((HERE / f"{name}.js").read_text(encoding="utf-8") for name in ("page", *names))


def style(*names: str) -> str:
    """The same of its style sheets."""
    return "\n".join((HERE / f"{name}.css").read_text(encoding="utf-8") for name in ("page", *names))


class Page(anywidget.AnyWidget):
    """A widget of which there is one of each name: a cell that is run again shows the same one.

    Classes of it say what their `handlers` are, by the word that a message asks with, and have `_begin` to make one,
    `_show_again` for a cell that is run again, `_told` for what the browser is told, and `_pictures`.
    """

    _open: ClassVar[dict[tuple[str, str], Page]] = {}
    """By the names of class and widget; a widget's own class is made anew for its traits."""

    handlers: ClassVar[Mapping[str, Handler]] = {}
    name = ""
    state = Dict().tag(sync=True)
    twin = Unicode().tag(sync=True)

    def __new__(cls, *_first: Any, name: str = "", **_options: Any) -> Self:
        """Give the widget that has this name already."""
        found: Any = cls._open.get((cls.__name__, name or cls.__name__.lower())) or super().__new__(cls)
        made: Self = found
        return made

    def _is_open(self, name: str) -> bool:
        """Whether `__new__` gave a widget that was made before."""
        return self._open.get((type(self).__name__, name)) is self

    def _opened(self, name: str, **traits: Any) -> None:
        """Make the widget, when all that its state tells of is there."""
        self.name = name
        self._errors: dict[str, str] = {}
        self._answered = 0
        self._changing = 1
        self._twin = Twin()
        super().__init__(**traits, state=self._state(), twin=self._twin.id)
        self._changing = 0
        self.on_msg(self._received)
        self._open[type(self).__name__, name] = self

    def close(self) -> None:
        """Take the widget off the page and out of memory."""
        # Python closes a widget once more when it forgets it; by then, another one may have its name.
        if self._is_open(self.name):
            del self._open[type(self).__name__, self.name]
            self.layout.close()
        super().close()

    @property
    def errors(self) -> dict[str, str]:
        """What the last change by hand was refused for: path of a field to the rule."""
        return dict(self._errors)

    # ---- to and from the browser

    def _told(self) -> dict[str, Any]:
        """What the browser is told, as JSON."""
        raise NotImplementedError

    def _pictures(self) -> Pictures:
        """What stands for the widget where none can be."""
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        # Counted up, or an answer that says the same as the last one would not be sent.
        return self._told() | {"errors": self._errors, "answered": self._answered}

    @contextmanager
    def _one_answer(self) -> Iterator[None]:
        """Tell the browser once of whatever changes inside."""
        self._changing += 1
        try:
            yield
        finally:
            self._changing -= 1
            if not self._changing:
                self.state = self._state()

    def _received(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """Answer one message; the browser waits for that before it sends the next."""
        asked = message.get("ask") if isinstance(message, dict) else None
        handler = self.handlers.get(asked) if isinstance(asked, str) else None
        if handler is None:
            return
        with self._one_answer():
            self._answered += 1
            try:
                handler(self, message)
            except QrkitError as error:
                self._errors = {"": str(error)}

    # ---- where it is shown

    def _repr_mimebundle_(self, **_asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        return bundle | self._twin.bundle(self._pictures()) | {"text/plain": repr(self)}, metadata

    def _ipython_display_(self) -> None:
        """Show the widget, and after it its picture, which is hidden as long as the widget is alive."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        self._twin.display(bundle | {"text/plain": repr(self)}, metadata, self._pictures())
