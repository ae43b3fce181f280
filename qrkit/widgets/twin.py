"""`Twin`: the picture that stands in for a widget on paper, in exported pages, and where no kernel runs.

Exporters prefer a widget to any picture in the same output, and then show nothing. So the picture is an output of its
own, below; the widget hides it while it is alive, by its class.
"""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import DisplayHandle, display

from qrkit.image import NOTEBOOK_COMPRESSION, QRImage
from qrkit.links import new_id

__all__ = ["Twin"]


class Twin:
    """The picture of the last state of one widget.

    Attributes:
        id: By which the widget finds it.
    """

    def __init__(self) -> None:
        self.id = new_id()
        self._handle: DisplayHandle | None = None
        self._shown = ""

    def bundle(self, image: QRImage) -> dict[str, Any]:
        """The picture for whatever shows it: html, which the widget can hide, svg, png and text."""
        png = image.to_bytes("png", compression=NOTEBOOK_COMPRESSION)
        source = f"data:image/png;base64,{b64encode(png).decode()}"
        label = escape(f"QR Code: {image.design.content[:200]}")
        return {
            "text/plain": repr(image),
            "text/html": f'<div class="qrkit-twin qrkit-twin-{self.id}"><img src="{source}" alt="{label}"></div>',
            "image/svg+xml": image.small_svg(),
            "image/png": png,
        }

    def display(self, bundle: dict[str, Any], metadata: dict[str, Any], image: QRImage) -> None:
        """Show a widget and its twin in the cell that runs."""
        display(bundle, metadata=metadata, raw=True)
        pictures = self.bundle(image)
        self._shown = pictures["text/html"]
        self._handle = display(_encoded(pictures), raw=True, display_id=True)

    def update(self, image: QRImage) -> None:
        """Bring the twin up to date, where it is shown."""
        if self._handle is None or not InteractiveShell.initialized():
            return
        pictures = self.bundle(image)
        if pictures["text/html"] != self._shown:
            self._shown = pictures["text/html"]
            self._handle.update(_encoded(pictures), raw=True)


def _encoded(bundle: dict[str, Any]) -> dict[str, Any]:
    """With the png as the messages of a kernel carry it; in what `_repr_mimebundle_` gives, IPython does that."""
    return bundle | {"image/png": b64encode(bundle["image/png"]).decode()}
