"""The raster formats that Pillow writes: jpg, bmp, tif, gif, webp. Pillow is loaded when the first is asked for."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from qrkit.color import BLACK, WHITE, Color
from qrkit.scene import Scene
from qrkit.writers.pixels import opaque_palette, packed_rows, palette

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["write_bmp", "write_gif", "write_jpg", "write_tif", "write_webp"]


def write_jpg(scene: Scene) -> bytes:
    """Write a JPEG without chroma subsampling: on hard edges it is smaller and has no coloured fringes."""
    colors = opaque_palette(scene)
    grey = all(color.red == color.green == color.blue for color in colors)
    picture = _two_colors(scene, colors).convert("L" if grey else "RGB")
    return _saved(picture, "JPEG", quality=90, subsampling=0, optimize=True)


def write_bmp(scene: Scene) -> bytes:
    """Write a BMP without alpha, which readers of BMP ignore."""
    return _saved(_two_colors(scene, opaque_palette(scene)), "BMP")


def write_tif(scene: Scene) -> bytes:
    """Write a TIFF, deflated; with any alpha as RGBA."""
    colors = palette(scene)
    picture = _two_colors(scene, colors)
    if any(color.alpha < 255 for color in colors):
        picture = picture.convert("RGBA")
    return _saved(picture, "TIFF", compression="tiff_adobe_deflate")


def write_gif(scene: Scene) -> bytes:
    """Write a GIF, whose pixels are opaque or fully transparent: partial alpha is composed on the backdrop."""
    clear = [index for index, color in enumerate(palette(scene)) if color.alpha == 0]
    picture = _two_colors(scene, opaque_palette(scene)).convert("P")
    return _saved(picture, "GIF", **({"transparency": clear[0]} if clear else {}))


def write_webp(scene: Scene) -> bytes:
    """Write a lossless WebP; any alpha is kept."""
    colors = palette(scene)
    mode = "RGBA" if any(color.alpha < 255 for color in colors) else "RGB"
    return _saved(_two_colors(scene, colors).convert(mode), "WEBP", lossless=True, exact=True)


def _two_colors(scene: Scene, colors: tuple[Color, Color]) -> Image:
    """The scene as a picture of one bit a pixel where black and white allow it, else of a palette."""
    from PIL import Image

    size = (scene.width, scene.height)
    rows = b"".join(row * times for row, times in packed_rows(scene))
    if set(colors) == {BLACK, WHITE}:
        # Both ways round: Pillow misreads a BMP of eight bits a pixel whose palette is black and white.
        return Image.frombytes("1", size, rows, "raw", "1;I" if colors[0] == WHITE else "1")
    picture = Image.frombytes("P", size, rows, "raw", "P;1")
    entries = [part for color in colors for part in (color.red, color.green, color.blue, color.alpha)]
    picture.putpalette(entries, "RGBA" if any(color.alpha < 255 for color in colors) else "RGBX")
    return picture


def _saved(picture: Image, name: str, **options: Any) -> bytes:
    file = BytesIO()
    picture.save(file, name, **options)
    return file.getvalue()
