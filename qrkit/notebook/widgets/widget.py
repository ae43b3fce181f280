"""Provides `Page`, the base of all widgets: one widget per name, one answer per message, and a static image.

A widget is one page with its own script. With plain ipywidgets, the page would need hundreds of widgets, and JupyterLab
would intercept keystrokes for its own shortcuts. The script draws the state it receives and sends user actions; Python
applies all rules. A new widget is a subclass of `Page` in a folder of its own, with its script and its style sheet.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

import anywidget
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import DisplayHandle, display
from traitlets import Dict, Int, Unicode

from qrkit.drawing.letters.page_font import FONT_FACE
from qrkit.errors import QrkitError
from qrkit.languages import LanguageTag, check_language, in_language
from qrkit.languages.sentences import catalog, translated
from qrkit.notebook.widgets.field_words import spoken
from qrkit.tracking.short_urls import new_id

Pictures: TypeAlias = dict[str, Any]
"""Representations by media type: at least text/plain and text/html, and optionally images."""
Handler = Callable[[Any, dict[str, Any]], None]
"""Performs the action that a message requests of a widget."""

HERE = Path(__file__).parent


class Twin:
    """The static image of one widget's last state, for printouts, exported pages, and pages without a kernel.

    Exporters prefer a widget to any image in the same output, and then show nothing. So the image is a separate output
    below the widget, which finds it by its ID and hides it by its CSS class as long as the widget is alive.
    """

    def __init__(self) -> None:
        self.id = new_id()
        self._handle: DisplayHandle | None = None
        self._shown = ""

    def bundle(self, pictures: Pictures) -> Pictures:
        """Return the representations, with HTML that the widget can hide."""
        return pictures | {"text/html": f'<div class="qrkit-twin qrkit-twin-{self.id}">{pictures["text/html"]}</div>'}

    def display(self, widget: dict[str, Any], metadata: dict[str, Any], pictures: Pictures) -> None:
        """Display a widget and its twin in the current cell."""
        display(widget, metadata=metadata, raw=True)
        self._shown = pictures["text/html"]
        self._handle = display(_encode(self.bundle(pictures)), raw=True, display_id=True)

    def update(self, pictures: Pictures) -> None:
        """Update the twin if it is displayed and has changed."""
        if self._handle is None or not InteractiveShell.initialized():
            return
        if pictures["text/html"] != self._shown:
            self._shown = pictures["text/html"]
            self._handle.update(_encode(self.bundle(pictures)), raw=True)


def script(folder: str, *names: str) -> str:
    """Join the files of a widget's script to one module that starts with `widget.js`."""
    files = (HERE / "widget.js", *(HERE / folder / f"{name}.js" for name in names))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def speaking(code: str, language: LanguageTag) -> str:
    """Give a script the sentences of a language, which its `say` knows."""
    words = {} if language == "en" else catalog(language)
    return f"const LANGUAGE = {language!r}, WORDS = {json.dumps(words)};\n{code}"


def style(folder: str, name: str, root: str) -> str:
    """Join `widget.css` and the style sheet of a widget, whose rules hold only inside the element of class `root`.

    So widgets of one page do not change each other, and neither does the portfolio browser the studio inside it.
    """
    shared, own = ((HERE / one).read_text(encoding="utf-8") for one in ("widget.css", f"{folder}/{name}.css"))
    return f"{FONT_FACE}\n{shared}\n@scope (.{root}) to (:scope .qrkit-widget) {{\n{own}}}\n"


class Page(anywidget.AnyWidget):
    """A widget that exists once per name: running a cell again shows the same one.

    Subclasses define a method for each action that a message may ask for, such as `_on_edit_selection` for "edit
    selection", `_browser_state` for the state sent to the browser, and `_pictures` for the static image. They call
    `_register` once when they are created.
    """

    _open: ClassVar[dict[tuple[str, str, str], Page]] = {}
    """Open widgets by class name, widget name and language. Classes are no keys: traits give each widget its own."""
    _language: LanguageTag
    _esm: str

    _handlers: ClassVar[dict[str, Handler]] = {}
    name = ""
    state = Dict().tag(sync=True)
    twin = Unicode().tag(sync=True)
    seen = Int().tag(sync=True)
    """The number of the last answer that the browser has shown."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = {name.removeprefix("_on_"): method for name, method in vars(cls).items() if name.startswith("_on_")}
        cls._handlers = cls._handlers | {name.replace("_", " "): method for name, method in own.items()}

    def __new__(cls, *_first: Any, name: str = "", language: LanguageTag = "en", **_options: Any) -> Self:
        """Return the existing widget with this name in this language, if there is one."""
        check_language(language)
        existing: Any = cls._open.get((cls.__name__, name or cls.__name__.lower(), language)) or super().__new__(cls)
        widget: Self = existing
        widget._language = language
        return widget

    def _is_open(self, name: str) -> bool:
        """Whether `__new__` returned an existing widget."""
        return self._open.get((type(self).__name__, name, self._language)) is self

    def _register(self, name: str, **traits: Any) -> None:
        """Initialize and register the widget, once everything that its state describes exists."""
        self.name = name
        self._esm = speaking(self._esm, self._language)
        self._errors: dict[str, str] = {}
        self._answered = 0
        self._changing = 1
        self._twin = Twin()
        with in_language(self._language):
            said = {name: spoken(value) if isinstance(value, dict) else value for name, value in traits.items()}
            super().__init__(**said, state=self._state(), twin=self._twin.id)
        self._changing = 0
        self.on_msg(self._handle_message)
        self._open[type(self).__name__, name, self._language] = self

    def close(self) -> None:
        """Remove the widget from the page and from memory."""
        # Python closes a widget again when it is garbage-collected; by then, another widget may have its name.
        if self._is_open(self.name):
            del self._open[type(self).__name__, self.name, self._language]
            self.layout.close()
        super().close()

    @property
    def errors(self) -> dict[str, str]:
        """The rules that the last user action broke, by the path of the field."""
        return dict(self._errors)

    # ---- Messages from and to the browser

    def _browser_state(self) -> dict[str, Any]:
        """Return the state for the browser, as JSON."""
        raise NotImplementedError

    def _pictures(self) -> Pictures:
        """Return the static image of the widget."""
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        # The counter makes each state different: otherwise an answer equal to the last one would not be sent.
        errors = {path: translated(rule) for path, rule in self.errors.items()}
        return self._browser_state() | {"errors": errors, "answered": self._answered}

    @contextmanager
    def _one_answer(self) -> Iterator[None]:
        """Speak the language of the widget, and send the browser one state for all changes inside the context."""
        self._changing += 1
        with in_language(self._language):
            try:
                yield
            finally:
                self._changing -= 1
                if not self._changing:
                    self.state = self._state()

    def _handle_message(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """Handle one message. The browser waits for the answer before it sends the next message."""
        asked = message.get("ask") if isinstance(message, dict) else None
        handler = self._handlers.get(asked) if isinstance(asked, str) else None
        if handler is None:
            return
        with self._one_answer():
            self._answered += 1
            try:
                handler(self, message)
            except QrkitError as error:
                self._errors = {"": error.told("page")}

    # ---- Display

    def _still(self) -> Pictures:
        with in_language(self._language):
            return self._pictures()

    def _repr_mimebundle_(self, **_asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        return bundle | self._twin.bundle(self._still()) | {"text/plain": repr(self)}, metadata

    def _ipython_display_(self) -> None:
        """Display the widget and its static image, which is hidden as long as the widget is alive."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        self._twin.display(bundle | {"text/plain": repr(self)}, metadata, self._still())


def _encode(bundle: Pictures) -> Pictures:
    """Encode the PNG for kernel messages; IPython does this itself for the result of `_repr_mimebundle_`."""
    return bundle | ({"image/png": b64encode(bundle["image/png"]).decode()} if "image/png" in bundle else {})
