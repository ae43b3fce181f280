"""Keeps a static image of a widget for printouts, exported pages, and pages without a kernel: `Twin`.

Exporters prefer a widget to any image in the same output, and then show nothing. So the image is a separate output
below the widget, which hides it by its CSS class as long as the widget is alive.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any, TypeAlias

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import DisplayHandle, display

from qrkit.tracking.short_urls import new_id

Pictures: TypeAlias = dict[str, Any]
"""Representations by media type: at least text/plain and text/html, and optionally images."""


class Twin:
    """The static image of one widget's last state.

    Attributes:
        id: The widget finds its twin by this ID.
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


def _encode(bundle: Pictures) -> Pictures:
    """Encode the PNG for kernel messages; IPython does this itself for the result of `_repr_mimebundle_`."""
    return bundle | ({"image/png": b64encode(bundle["image/png"]).decode()} if "image/png" in bundle else {})
