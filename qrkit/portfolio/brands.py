"""`Brands`: the saved brands of one account, and the brand that its reports and landing pages use."""

from __future__ import annotations

from typing import ClassVar

from qrkit.design.brand import Brand
from qrkit.design.design import Design
from qrkit.design.gradient import Gradient
from qrkit.errors import InvalidParameter, Problem
from qrkit.portfolio.saved import Saved
from qrkit.store import Store
from qrkit.store.records import templates as table
from qrkit.store.records.templates import SavedIn

__all__ = ["Brands", "brand_behind", "brand_from"]


class Brands(Saved):
    """The brands of one account, available as `Portfolio.brands`. Iterate to get their names.

    Args:
        store: The store that contains the brands.
        account_id: ID of the account that owns the brands.
        clock: A function that returns the current time.

    Example:
        >>> from qrkit import open_portfolio
        >>> with open_portfolio(":memory:") as shop:
        ...     shop.brands.save("acme", Brand("Acme", ink="navy"))
        ...     shop.brands.use("acme")
        ...     shop.brands.current
        Brand(name='Acme', ink=Color.parse('#000080'))
    """

    kind: ClassVar[str] = "brand"
    stored_in: ClassVar[SavedIn] = "brands"

    def save(self, name: str, brand: Brand) -> None:
        """Save a brand, replacing any brand saved under the same name.

        Args:
            name: The name to save the brand under, 1..100 characters.
            brand: The brand.

        Raises:
            InvalidParameter: If the name is invalid, or the account already has 1,000 brands.
            AssetError: If the logo is invalid.
            RemoteContentDisabled: If the logo is a URL: landing pages load nothing.
        """
        self._check_name(name)
        if brand.logo:
            from qrkit.drawing.untrusted.assets import read_asset

            read_asset(brand.logo, part="logo")
        self._write(name, brand.to_json())

    def get(self, name: str) -> Brand:
        """Return a brand.

        Raises:
            NotFound: If no brand is saved under this name.
        """
        return Brand.from_json(self._read(name))

    @property
    def used(self) -> str | None:
        """The name of the brand in use."""
        return table.current(self._store, self.stored_in, self._account_id)

    @property
    def current(self) -> Brand | None:
        """The brand in use."""
        return None if (name := self.used) is None else self.get(name)


def brand_behind(store: Store, short_code: str) -> Brand | None:
    """Return the brand in use of the account that has the QR Code with this short code, or had it; None if unknown."""
    text = table.brand_behind(store, short_code)
    return Brand.from_json(text) if text else None


def brand_from(design: Design, name: str, *, logo: str | None = None) -> Brand:
    """Return the brand whose QR Codes look like a design.

    A brand has the colors, modules, eyes and frame of the design. It has no layers and no photo.

    Args:
        logo: The logo, as in `Layer.content`.

    Raises:
        InvalidParameter: If a color is a gradient or transparent, or modules are drawn with sprites of fixed sizes.
    """
    ink, ground = design.foreground, design.background
    marker = design.markers.top_left
    accent = marker.inner_color if marker else None
    if isinstance(ink, Gradient) or isinstance(ground, Gradient) or isinstance(accent, Gradient):
        fields = {"foreground": ink, "background": ground, "markers.topLeft.innerColor": accent}
        field = next(name for name, fill in fields.items() if isinstance(fill, Gradient))
        rule = "is a gradient, and a brand has flat colors; choose a color, or save the look as a template"
        raise InvalidParameter(Problem(field, None, rule, "bad-value"))
    words = design.frame.words if design.frame else None
    return Brand(
        name,
        ink=ink,
        accent=accent,
        ground=ground,
        logo=logo,
        font=words.font if words else None,
        frame=design.frame,
        modules=design.modules,
        eye=marker.pattern if marker else "default",
    )
