"""Looks that the studio saves by name, as templates and brands, and the campaigns that use them: `SavedLooks`.

Portfolios are imported where they are used: most studios have none, and open sooner without pandas and DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from qrkit.design.design import Design
from qrkit.drawing.logo import PlacedLogo, without_logo
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import ContentTooLong, InvalidParameter, NotFound, Problem, renaming
from qrkit.symbol.encode import check_fits

if TYPE_CHECKING:
    from qrkit.pictures.printing import PrintSize
    from qrkit.portfolio.brands import Brands
    from qrkit.portfolio.portfolio import Portfolio
    from qrkit.portfolio.templates import Templates


SAVED: Final = "saved"
"""The first step of the paths at which errors are shown."""
TEMPLATE: Final = "template"
BRAND: Final = "brand"
SHORT = "0"
"""A content that fits every version and every mode but kanji."""


class SavedLooks:
    """The saved looks of an account. Every change can be undone until the next one.

    Without `templates`, those of the portfolio are used; without both, there is no place to save one.
    """

    def __init__(self, templates: Templates | None = None, portfolio: Portfolio | None = None) -> None:
        self._portfolio = portfolio
        chosen = portfolio.templates if templates is None and portfolio else templates
        self._shelves: dict[str, Templates | Brands] = {} if chosen is None else {TEMPLATE: chosen}
        if portfolio:
            self._shelves[BRAND] = portfolio.brands
        self._revisions: dict[tuple[str, str], int] = {}
        self._done = ""
        self._undo: Callable[[], object] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Read the names again, which may have changed outside of the studio."""
        self._names = [(kind, name) for kind, shelf in self._shelves.items() for name in shelf.names()]
        campaigns = self._portfolio.list_campaigns() if self._portfolio else []
        self._campaigns = [{"id": one.id, "name": one.name, "template": one.template} for one in campaigns]

    def look(self, kind: str, name: str, design: Design, logo: PlacedLogo | None, fetch: Fetch | None) -> Design:
        """Return a design with a saved look, a `template` or a `brand`, whose logo replaces that of the design."""
        if kind == BRAND and self._portfolio:
            brand = self._portfolio.brands.get(name)
            return brand.apply(without_logo(design, logo.layer) if logo and brand.logo else design, fetch=fetch)
        shelf: Any = self._shelf(kind)
        made: Design = shelf.design(name, design.content)
        try:
            check_fits(made)
        except ContentTooLong:
            # A template for short URLs names a version that is too small for longer contents.
            made = shelf.design(name, SHORT).replace(content=design.content, version=None)
        return made

    def save(self, kind: str, name: str, design: Design, logo: str | None, *, is_replacing: bool = False) -> None:
        """Save the look of a design as a `template` or, with its logo, as a `brand`."""
        from qrkit.portfolio.brands import brand_from

        shelf: Any = self._shelf(kind)
        before = shelf.get(name) if name in shelf else None
        if before is not None and not is_replacing:
            rule = f"is already the name of a {kind}; choose another name, or replace it"
            raise InvalidParameter(Problem(f"{SAVED}.name", name, rule, "name-taken"))
        with renaming(lambda field: f"{SAVED}.{field}"):
            shelf.save(name, design if kind == TEMPLATE else brand_from(design, name, logo=logo))
        undo = (lambda: shelf.save(name, before)) if before is not None else (lambda: shelf.delete(name))
        self._record(f"{'Saved' if before is None else 'Replaced'} the {kind} “{name}”.", undo, (kind, name))

    def delete(self, kind: str, name: str) -> None:
        """Delete a saved look."""
        shelf: Any = self._shelf(kind)
        before = shelf.get(name)
        is_current = kind == BRAND and shelf.current == before
        try:
            shelf.delete(name)
        except InvalidParameter as error:
            rule = f"“{name}” {error.rule.partition(';')[0]}; choose another template there first"
            raise InvalidParameter(Problem(SAVED, name, rule, error.code)) from error

        def restore() -> None:
            shelf.save(name, before)
            if is_current:
                shelf.use(name)

        self._record(f"Deleted the {kind} “{name}”.", restore, (kind, name))

    def use(self, name: str, campaign_id: str) -> None:
        """Have a campaign use a template.

        The name "" is no template; the campaign "" is all QR Codes for which no template is chosen.
        """
        shop = self._shop(campaign_id)
        what = f"“{name}”" if name else "no template"
        if campaign_id:
            before = shop.get_campaign(campaign_id)
            shop.update_campaign(campaign_id, template=name)
            done = f"The campaign “{before.name}” now uses {what}."
            self._record(done, lambda: shop.update_campaign(campaign_id, template=before.template))
        else:
            default = shop.templates.default
            shop.templates.use(name or None)
            self._record(f"QR Codes without another template now use {what}.", lambda: shop.templates.use(default))

    def zip_in(self, look: Design, campaign_id: str, names: str, format: str, size: PrintSize | None) -> bytes:
        """Return a zip of the QR Codes of a campaign in the look of a design; "" for all. See `zip_in_look`."""
        from qrkit.portfolio.code_sets import zip_in_look

        shop, campaign, pattern = self._shop(campaign_id), campaign_id or None, names or "{name}"
        return zip_in_look(shop, look, campaign_id=campaign, names=pattern, format=format, print_size=size)

    def _shop(self, campaign_id: str) -> Portfolio:
        if self._portfolio is None:
            raise NotFound("campaign", campaign_id)
        return self._portfolio

    def undo(self) -> None:
        """Undo the last change, if there is one."""
        if self._undo:
            self._undo()
            self._undo, self._done = None, ""
            self._revisions = {key: number + 1 for key, number in self._revisions.items()}
            self.refresh()

    def as_dict(self) -> dict[str, Any] | None:
        """Return the state for the browser; None if there is nowhere to save."""
        if not self._shelves:
            return None
        looks = [
            {"kind": kind, "name": name, "revision": self._revisions.get((kind, name), 0)} for kind, name in self._names
        ]
        return {"kinds": list(self._shelves), "looks": looks, "campaigns": self._campaigns, "done": self._done}

    def _shelf(self, kind: str) -> Templates | Brands:
        if kind not in self._shelves:
            raise NotFound("kind of saved look", kind)
        return self._shelves[kind]

    def _record(self, done: str, undo: Callable[[], object], changed: tuple[str, str] | None = None) -> None:
        self._done, self._undo = done, undo
        if changed:
            self._revisions[changed] = self._revisions.get(changed, 0) + 1
        self.refresh()
