"""Writes the raster formats of Pillow."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.drawing.plain_picture import Plain
from qrkit.drawing.scene import Scene
from qrkit.drawing.writers.canvas import painted, seen
from qrkit.drawing.writers.pixels import packed_rows, size_in_pixels

MOST_COLORS = 255
"""Colors in a GIF besides the transparent one."""


def write_jpg(scene: Scene) -> bytes:
    """Write a JPEG without chroma subsampling: for hard edges, files are smaller and have no color fringes."""
    plain = scene.plain
    picture = opaque_picture(scene)
    if plain:
        colors = _opaque_palette(scene, plain)
        picture = picture.convert("L" if all(one.red == one.green == one.blue for one in colors) else "RGB")
    # At quality 90, a reader no longer found small round eyes.
    return _save(picture, "JPEG", scene, quality=90 if plain else 95, subsampling=0, optimize=True)


def write_bmp(scene: Scene) -> bytes:
    """Write a BMP without alpha, which readers of BMP ignore."""
    return _save(opaque_picture(scene), "BMP", scene)


def write_tif(scene: Scene) -> bytes:
    """Write a TIFF, deflated; any alpha is kept, except in CMYK for a press."""
    if press := scene.press:
        opaque = opaque_picture(scene).convert("RGB")
        inks = Image.frombytes("CMYK", opaque.size, press.pixels(*opaque.size, opaque.tobytes()))
        return _save(inks, "TIFF", scene, compression="tiff_adobe_deflate", icc_profile=press.profile)
    picture = _picture(scene)
    if picture.mode == "P" and "transparency" in picture.info:
        picture = picture.convert("RGBA")
    return _save(picture, "TIFF", scene, compression="tiff_adobe_deflate")


def write_gif(scene: Scene) -> bytes:
    """Write a GIF, whose pixels are opaque or fully transparent: partial alpha is composed on the backdrop."""
    opaque = opaque_picture(scene)
    if plain := scene.plain:
        clear = [index for index, color in enumerate(plain.palette) if color.alpha == 0]
        if not clear:
            return _save(opaque.convert("P"), "GIF", scene)
        return _save(_of_palette(plain, _opaque_palette(scene, plain)), "GIF", scene, transparency=clear[0])
    picture = opaque.quantize(MOST_COLORS)
    clear_pixels = painted(scene).getchannel("A").point(lambda alpha: 255 if alpha == 0 else 0)
    if clear_pixels.getbbox() is None:
        return _save(picture, "GIF", scene)
    picture.paste(MOST_COLORS, mask=clear_pixels)
    return _save(picture, "GIF", scene, transparency=MOST_COLORS)


def write_webp(scene: Scene) -> bytes:
    """Write a lossless WebP; any alpha is kept."""
    picture = _picture(scene)
    if picture.mode not in ("RGB", "RGBA"):
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    return _save(picture, "WEBP", scene, lossless=True, exact=True)


def _picture(scene: Scene) -> Image.Image:
    """Return the scene with its alpha: in two colors if it is plain, in RGB if nothing is transparent."""
    if plain := scene.plain:
        return _two_colors(plain, plain.palette)
    return seen(scene)


def opaque_picture(scene: Scene) -> Image.Image:
    """Return the scene composed on its paper."""
    if plain := scene.plain:
        return _two_colors(plain, _opaque_palette(scene, plain))
    return painted(scene.on_paper()).convert("RGB")


def _opaque_palette(scene: Scene, plain: Plain) -> tuple[Color, Color]:
    """Return the two colors of a plain image, composed on the backdrop for formats without alpha."""
    background, dark = plain.palette
    return background.over(scene.backdrop).opaque, dark.over(scene.backdrop).opaque


def _two_colors(plain: Plain, colors: tuple[Color, Color]) -> Image.Image:
    """A picture of one bit a pixel where black and white allow it, else of a palette."""
    if set(colors) == {BLACK, WHITE}:
        # Both ways round: Pillow misreads a BMP of eight bits a pixel whose palette is black and white.
        mode = "1;I" if colors[0] == WHITE else "1"
        return Image.frombytes("1", size_in_pixels(plain), _bits(plain), "raw", mode)
    return _of_palette(plain, colors)


def _of_palette(plain: Plain, colors: tuple[Color, Color]) -> Image.Image:
    """Return an image whose pixels are 0 and 1, the indexes of their colors."""
    picture = Image.frombytes("P", size_in_pixels(plain), _bits(plain), "raw", "P;1")
    transparent = any(color.alpha < 255 for color in colors)
    entries = [part for color in colors for part in (*color.channels, color.alpha)]
    picture.putpalette(entries, "RGBA" if transparent else "RGBX")
    if transparent:
        picture.info["transparency"] = bytes(color.alpha for color in colors)
    return picture


def _bits(plain: Plain) -> bytes:
    """The pixels, eight to a byte, each row from a byte of its own."""
    width, height = size_in_pixels(plain)
    length, times, top = (width + 7) // 8, round(plain.module), round(plain.top)
    rows = bytes(length * top) + b"".join([row * times for row in packed_rows(plain)])
    return rows.ljust(length * height, b"\x00")


def _save(picture: Image.Image, name: str, scene: Scene, **options: Any) -> bytes:
    file = BytesIO()
    if scene.dots_per_inch and name not in ("GIF", "WEBP"):
        options["dpi"] = (scene.dots_per_inch,) * 2
    picture.save(file, name, **options)
    return file.getvalue()
