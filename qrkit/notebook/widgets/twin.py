"""`Twin`: the picture that stands in for a widget on paper, in exported pages, and where no kernel runs.

Exporters prefer a widget to any picture in the same output, and then show nothing. So the picture is an output of its
own, below; the widget hides it while it is alive, by its class.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any, TypeAlias

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import DisplayHandle, display

from qrkit.tracking.short_urls import new_id

__all__ = ["Pictures", "Twin"]

Pictures: TypeAlias = dict[str, Any]
"""By media type: text/plain and text/html at least, and pictures as notebooks take them."""


class Twin:
    """The picture of the last state of one widget.

    Attributes:
        id: By which the widget finds it.
    """

    def __init__(self) -> None:
        self.id = new_id()
        self._handle: DisplayHandle | None = None
        self._shown = ""

    def bundle(self, pictures: Pictures) -> Pictures:
        """The pictures, of which the html is one that the widget can hide."""
        return pictures | {"text/html": f'<div class="qrkit-twin qrkit-twin-{self.id}">{pictures["text/html"]}</div>'}

    def display(self, widget: dict[str, Any], metadata: dict[str, Any], pictures: Pictures) -> None:
        """Show a widget and its twin in the cell that runs."""
        display(widget, metadata=metadata, raw=True)
        self._shown = pictures["text/html"]
        self._handle = display(_encoded(self.bundle(pictures)), raw=True, display_id=True)

    def update(self, pictures: Pictures) -> None:
        """Bring the twin up to date, where it is shown."""
        if self._handle is None or not InteractiveShell.initialized():
            return
        if pictures["text/html"] != self._shown:
            self._shown = pictures["text/html"]
            self._handle.update(_encoded(self.bundle(pictures)), raw=True)


def _encoded(bundle: Pictures) -> Pictures:
    """With the png as the messages of a kernel carry it; in what `_repr_mimebundle_` gives, IPython does that."""
    return bundle | ({"image/png": b64encode(bundle["image/png"]).decode()} if "image/png" in bundle else {})
