"""Provides `Inks`: how a print shop prints colors."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StrictStr, model_validator

from qrkit.design.color import Color
from qrkit.design.limits import Length
from qrkit.drawing.writers.press import MOST_BYTES, Press
from qrkit.model import Model, broken

DATA_URI = "data:"
"""How a profile begins that is not the path of a file: what follows a comma is its bytes in base64."""


def _pairs(given: Any) -> Any:
    """Return texts such as `navy=PANTONE 2758 C` as a dictionary."""
    if isinstance(given, list | tuple) and all(isinstance(one, str) for one in given):
        return {color: name for color, _, name in (one.rpartition("=") for one in given)}
    return given


def _path(given: Any) -> Any:
    return str(given) if isinstance(given, Path) else given


class Inks(Model):
    """How colors become inks."""

    key_black: bool = Field(
        default=False, description="Print black with black ink only in EPS and PDF, as print shops require."
    )
    profile: Annotated[str, BeforeValidator(_path)] | None = Field(
        default=None,
        description="CMYK profile (ICC) of a print shop, for a PDF/X-4 or a TIFF in CMYK. Black and "
        "grays are printed with black ink only, and all other colors with the inks of the profile. It is the path of a "
        "file, or a data URI with its bytes: `data:application/vnd.iccprofile;base64,…`.",
    )
    spots: Annotated[dict[Color, Annotated[StrictStr, Length(1, 60)]], BeforeValidator(_pairs)] = Field(
        default={}, description="Names of spot colors, each for one color of a PDF with a profile."
    )

    @cached_property
    def _press(self) -> Press | None:
        if self.profile is None:
            return None
        if self.profile.startswith(DATA_URI):
            return Press(b64decode(self.profile.partition(",")[2]), self.spots)
        with Path(self.profile).open("rb") as file:
            return Press(file.read(MOST_BYTES + 1), self.spots)

    @model_validator(mode="after")
    def _check_inks(self) -> Self:
        field, rule, names = "spots", "", [*self.spots.values()]
        if names and not self.profile:
            rule = "needs a profile"
        elif {"All", "None"} & {*names} or len({*names}) < len(names):
            rule = "must have different names, and not All or None, with which a PDF prints all inks or nothing"
        try:
            self._press  # noqa: B018  # reads the profile
        except OSError as error:
            field, rule = "profile", f"cannot be read: {error.strerror}"
        except NotBase64:
            field, rule = "profile", "is a data URI that is not base64"
        except ValueError as error:
            field, rule = "profile", str(error)
        if rule:
            raise broken(rule, field)
        return self


def press_of(inks: Inks) -> Press | None:
    """Return the press of the profile, which is read once; None without one."""
    return inks._press
