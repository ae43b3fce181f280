"""Writes an image as png, svg and eps in one zip archive."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from qrkit.drawing.scene import Scene
from qrkit.drawing.writers import eps, png, svg

MEMBERS = {"png": png.write, "svg": svg.write, "eps": eps.write}


def write(scene: Scene, name: str = "qrcode") -> bytes:
    """Write the archive, naming its members after `name`, which must be a safe file name."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for suffix, write_member in MEMBERS.items():
            # ZipInfo's default date, 1980-01-01, makes the bytes reproducible.
            archive.writestr(ZipInfo(f"{name}.{suffix}"), write_member(scene), ZIP_DEFLATED)
    return file.getvalue()
