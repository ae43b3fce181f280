"""`qrkit generate` and `qrkit decode`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qrkit.decode import decode
from qrkit.design import Design
from qrkit.errors import BadRequest, UnreadableFile
from qrkit.image import QRImage
from qrkit.limits import FORMATS, TEXT_STYLES, TextStyle
from qrkit.reading import json_object

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_decode", "add_generate", "design_fields"]


def add_generate(commands: Commands) -> None:
    """Add `generate`."""
    one = commands.add_parser("generate", help="draw one QR Code")
    one.add_argument("content", nargs="?", help="text to encode; may be left out when --design has one")
    one.add_argument("--design", type=Path, metavar="FILE", help="a design as JSON, as Design.to_json writes it")
    one.add_argument("-o", "--output", type=Path, help="file to write; without it the code is shown as text")
    one.add_argument("--format", help=f"one of {', '.join(FORMATS)}; by default the suffix of the file says it")
    one.add_argument("--style", choices=TEXT_STYLES, default="blocks", help="how the code is shown as text")
    for name, what in (
        ("size", "pixels per module, 1..20 (8)"),
        ("padding", "quiet zone in modules, 0..20 (4)"),
        ("version", "1..40 (the smallest that fits)"),
    ):
        one.add_argument(f"--{name}", type=int, help=what)
    for name, what in (
        ("em", "encoding mode: byte, numeric, alphanumeric or auto (byte)"),
        ("ec", "error correction: L, M, Q or H (M)"),
        ("foreground", "colour of dark modules, #AARRGGBB or a name (black)"),
        ("background", "colour of everything else (white)"),
    ):
        one.add_argument(f"--{name}", help=what)
    one.set_defaults(run=_generate)


def _generate(asked: argparse.Namespace) -> None:
    names = ("size", "padding", "version", "em", "ec", "foreground", "background")
    fields = {name: getattr(asked, name) for name in ("content", *names) if getattr(asked, name) is not None}
    image = QRImage(Design(**(design_fields(asked.design) | fields)))
    for warning in [*image.warnings, *filter(None, [image.fault])]:
        print(f"qrkit generate: {warning}", file=sys.stderr)
    is_text = (asked.format or (asked.output or Path()).suffix[1:]).lower() == "txt"
    if asked.output and is_text:
        asked.output.write_text(image.to_text(asked.style), encoding="utf-8", newline="\n")
    elif asked.output:
        image.save(asked.output, asked.format)
    elif asked.format:
        sys.stdout.buffer.write(image.to_text(asked.style).encode() if is_text else image.to_bytes(asked.format))
    else:
        sys.stdout.write(_printable(image, asked.style))
    if asked.output:
        print(f"{asked.output}: {image!r}")


def design_fields(file: Path | None) -> dict[str, Any]:
    """The fields that a file of a design holds, if there is one.

    Raises:
        UnreadableFile: It holds no JSON object.
        OSError: It cannot be read.
    """
    if file is None:
        return {}
    try:
        return json_object(file.read_bytes())
    except BadRequest as error:
        raise UnreadableFile(f"{file}: {error}") from error


def _printable(image: QRImage, style: TextStyle) -> str:
    """The symbol in this style, or in letters where the output has no blocks, as of old consoles."""
    text = image.to_text(style)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return image.to_text("ascii")
    return text


def add_decode(commands: Commands) -> None:
    """Add `decode`."""
    one = commands.add_parser("decode", help="read the QR Code in a picture")
    one.add_argument("picture", type=Path, nargs="+", help="png, jpg, bmp, tif, gif or webp files")
    one.set_defaults(run=_decode)


def _decode(asked: argparse.Namespace) -> None:
    for picture in asked.picture:
        print(decode(picture).content)
