"""XAML: a `Canvas` of paths in a `Viewbox`, for WPF. Colours are #AARRGGBB by nature, so any alpha is kept."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from qrkit.scene import Scene
from qrkit.writers.svg import readable

__all__ = ["write"]

NAMESPACE = "http://schemas.microsoft.com/winfx/2006/xaml/presentation"


def write(scene: Scene) -> bytes:
    """Write a XAML document."""
    squares, back = scene.squares, scene.background
    size = squares.size
    bars = [
        f"M{squares.x + size * column},{squares.y + size * row}h{size * count}v{size}h-{size * count}z"
        for column, row, count in squares.runs()
    ]
    return "\n".join(
        (
            f'<Viewbox xmlns="{NAMESPACE}" Stretch="Uniform">',
            f'<Canvas Width="{scene.width}" Height="{scene.height}" RenderOptions.EdgeMode="Aliased" '
            f"AutomationProperties.Name={quoteattr(readable(scene.title))}>",
            f'<Path Fill="{back.paint.argb}" Data="M{back.x},{back.y}h{back.width}v{back.height}h-{back.width}z"/>',
            # F1 asks for the non-zero rule; WPF's own default is even-odd.
            f'<Path Fill="{squares.paint.argb}" Data="F1{"".join(bars)}"/>',
            "</Canvas>",
            "</Viewbox>\n",
        )
    ).encode()
