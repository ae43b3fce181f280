"""Looks to start from: `with_preset` applies one to a design, and `gallery` shows all of them.

>>> from qrkit import Design, presets
>>> presets.with_preset(Design(content="hi"), "bubble", "plum", caption="Say hi").frame.caption
Caption(text='Say hi')
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from qrkit.design.decoration import Photo
from qrkit.design.design import Design
from qrkit.design.frames import Caption, Frame
from qrkit.design.presets import LOGO, PALETTES, PRESETS, Preset, is_icon
from qrkit.errors import InvalidParameter, Problem, one_of
from qrkit.languages import say
from qrkit.pictures.gallery import Gallery

if TYPE_CHECKING:
    from qrkit.drawing.untrusted.assets import Fetch

__all__ = ["LOGO", "PRESETS", "Preset", "gallery", "is_icon", "with_preset"]

LONG = 1.4
"""Width per height, or height per width, from which a logo gets a rounded plate instead of a circle."""


def with_preset(
    design: Design,
    name: str,
    colorway: str | None = None,
    *,
    logo: str | None = None,
    caption: str | Caption | None = None,
    photo: str | None = None,
    share: float | None = None,
    fetch: Fetch | None = None,
) -> Design:
    """Apply a preset to a design; its content, size, layers and wrapper stay.

    A look with a logo or a photo uses error correction level H. Words that you put on the frame stay; words from
    another preset are replaced. A preset brings its words in the language of the context (`charts.in_language`). The
    photo of the design stays if the preset shows a photo.

    Args:
        design: The design to start from.
        name: A name in `PRESETS`.
        colorway: One of the preset's colorways; None for the first.
        logo: A logo for its plate, as in `Layer.content`.
        caption: The words on its frame. Presets without a frame get one.
        photo: The photo of `photo` or `mosaic`, as in `Photo.content`; by default, that of the design, or a sample.
        share: Longer side of the logo as a share of the symbol's side, as in `with_logo`.
        fetch: Downloads a logo given by its URL. Without it, a URL raises an error.

    Raises:
        InvalidParameter: If no preset or colorway has this name, or the preset shows no photo.
        AssetError: If the logo is invalid or cannot be fetched.
        ContentTooLong: If the content does not fit.

    Example:
        >>> from qrkit import Design
        >>> with_preset(Design(content="hi"), "bubble", caption="Say hi").frame.caption
        Caption(text='Say hi')
    """
    name, colorway = _names(name, colorway)
    preset = PRESETS[name]
    if photo and not preset.photo:
        raise InvalidParameter(Problem("photo", photo, f"is only for presets that show a photo, not for {name!r}"))
    icon = next((index for index, layer in enumerate(design.layers) if is_icon(layer)), None)
    if icon is not None:
        from qrkit.drawing.logo import without_logo

        design = without_logo(design, icon)
    fields = {"photo": None, **preset.fields(colorway)}
    if not design.wrapper:
        fields["frame"] = preset.framed(colorway, caption or _own_words(design.frame, preset))
    if preset.photo:
        own = design.photo.content if design.photo else _sample_photo()
        fields |= {"photo": Photo(photo or own, place=preset.photo), "ec": "H"}
    logo = logo or preset.logo
    if not logo:
        return design.replace(**fields)
    from qrkit.drawing.logo import Logo  # most looks have no logo
    from qrkit.scanning.logo_size import with_logo

    palette, design = PALETTES[colorway], design.replace(**fields | {"ec": "H"})
    read = Logo.read(logo, fetch)
    plate = preset.plate if min(read.width, read.height) * LONG > 1 else "rounded"
    how: dict[str, Any] = {"plate": plate, "ring": palette.ink, "padding": 0.6, "name": LOGO, "fetch": fetch}
    return with_logo(design, logo, share, color=palette.accent if logo.lower().startswith("icon:") else None, **how)


def gallery() -> Gallery:
    """Return a sheet of all presets in all colorways, which a notebook shows.

    Example:
        >>> "bubble" in repr(gallery())
        True
    """
    return Gallery()


def _own_words(frame: Frame | None, preset: Preset) -> Caption | None:
    """Return the caption of a frame with the words of the preset in place of those that another preset brought."""
    words, usual = frame and frame.caption, preset.words
    if not words:
        return None
    is_own, has_own_subtitle = words.text not in _brought("caption"), words.subtitle not in _brought("subtitle")
    text, subtitle = (words.text, None) if is_own else (usual.text, usual.subtitle) if usual else (None, None)
    return words.replace(text=text, subtitle=words.subtitle if has_own_subtitle else subtitle) if text else None


def _brought(field: str) -> set[str | None]:
    """Return the words that presets bring, in English and in the language of the context."""
    texts = [getattr(preset, field) for preset in PRESETS.values()]
    return {*texts, *(say(text) for text in texts if text)}


def _sample_photo() -> str:
    """Return the photo of a look until you pass your own, as a data URI: hills in the evening."""
    from qrkit.drawing.untrusted.assets import data_uri

    return data_uri(Path(__file__).with_name("design").joinpath("hills.svg").read_bytes())


def _names(name: str, colorway: str | None) -> tuple[str, str]:
    """Return the names of a preset and its colorway, after checking them."""
    colorways = PRESETS[one_of("preset", name, PRESETS, "is not a preset")].colorways
    if colorway is None:
        return name, colorways[0]
    return name, one_of("colorway", colorway, colorways, f"is not a colorway of {name!r}")


__dir__ = __all__.copy
