"""Turns colors into the inks of a print shop: black and grays in black ink alone, all others by an ICC profile."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from qrkit.design.color import Color
from qrkit.late import np

MOST_BYTES = 16_000_000
"""Bytes of a profile; the largest of the ECI and of Adobe have under three million."""
KIND = b"prtrCMYK"
"""Device class and colors of a printer in CMYK (ICC.1, 7.2.5 and 7.2.6)."""
SIGNATURE = b"acsp"


class Press:
    """The inks of a press; `spots` has the names of spot colors, by the color that each replaces.

    `condition` is the name that the profile gives to the press and its paper.
    """

    def __init__(self, profile: bytes, spots: Mapping[Color, str]) -> None:
        from PIL import ImageCms

        if len(profile) > MOST_BYTES:
            raise ValueError(f"is larger than {MOST_BYTES // 1_000_000} MB, so it is not the profile of a printer")
        if profile[12:20] != KIND or profile[36:40] != SIGNATURE:
            raise ValueError("is not the ICC profile of a CMYK printer; ask your print shop for its profile")
        self.profile, self.spots = profile, spots
        self._inks: dict[Color, str] = {}
        try:
            inks = ImageCms.ImageCmsProfile(BytesIO(profile))
            self.condition = ImageCms.getProfileDescription(inks).strip()
            how = ImageCms.Intent.RELATIVE_COLORIMETRIC, ImageCms.Flags.BLACKPOINTCOMPENSATION
            self._transform = ImageCms.buildTransform(ImageCms.createProfile("sRGB"), inks, "RGB", "CMYK", *how)
        except (ImageCms.PyCMSError, OSError) as error:
            raise ValueError("is damaged: its colors cannot be read") from error

    def __reduce__(self) -> Any:
        return Press, (self.profile, self.spots)

    def pixels(self, width: int, height: int, rgb: bytes) -> bytes:
        """Return cyan, magenta, yellow and black of each pixel of a picture, each 0..255.

        Black pixels get black ink alone, and white ones none. A picture without colors gets black ink alone; in others,
        grays are those of the profile, because the colors next to them are.
        """
        from PIL import Image, ImageCms

        picture = Image.frombytes("RGB", (width, height), rgb)
        low, high = np.asarray(picture).min(2), np.asarray(picture).max(2)
        inks = np.zeros((height, width, 4), np.uint8)
        if (low == high).all():
            inks[:, :, 3] = 255 - low
        else:
            inks[:] = np.asarray(ImageCms.applyTransform(picture, self._transform))
            inks[high == 0] = 0, 0, 0, 255
            inks[low == 255] = 0
        return inks.tobytes()

    def inks(self, color: Color) -> str:
        """Write the shares of cyan, magenta, yellow and black for a color, each 0..1; its alpha is ignored."""
        if color not in self._inks:  # because a conversion takes milliseconds
            inks = self.pixels(1, 1, bytes(color.channels))
            self._inks[color] = " ".join(f"{part / 255:.4g}" for part in inks)
        return self._inks[color]

    def separation(self, color: Color) -> str:
        """Write the color space of a spot color, which programs without its ink show in the inks of its color."""
        name = "".join(f"#{byte:02x}" for byte in self.spots[color].encode())
        shown = f"<</FunctionType 2/Domain[0 1]/N 1/C0[0 0 0 0]/C1[{self.inks(color)}]>>"
        return f"[/Separation/{name}/DeviceCMYK{shown}]"
