"""Provides `Administration`: keys, the brand, accounts, the settings of a store, and its backup.

All sentences are in its script.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from qrkit.design.brand import Brand
from qrkit.errors import InvalidParameter, NotAllowed, Problem
from qrkit.languages import LanguageTag
from qrkit.notebook.widgets.studio.swatches import ENOUGH, color_contrasts
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.portfolio import Portfolio, access
from qrkit.portfolio.base_urls import kept_base_url
from qrkit.portfolio.brands import Brands
from qrkit.store import Store
from qrkit.store.duckdb.database import history_folder
from qrkit.store.served.database import ServedStore
from qrkit.store.upkeep.maintenance import backup
from qrkit.store.upkeep.retention import keep_days
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.records import PLANS

LOOK = ("name", "ink", "accent", "ground", "logo")
"""Fields of a brand that people set here; the studio sets all of them."""
COLORS = ("ink", "accent", "ground")
PART = 4_000_000
"""Bytes of a backup that are sent at a time."""


class Administration(Page):
    """A widget for the keys and the brand of an account; for the administrator, for all accounts and the store.

    The base URL can change (`may_move`) if no server has the store open.
    """

    _esm = script("administration", "administration")
    _css = style("administration", "administration", "qrkit-administration")

    def __init__(
        self,
        portfolio: Portfolio,
        /,
        *,
        name: str = "administration",
        may_move: bool = True,
        language: LanguageTag = "en",
    ) -> None:
        if self._is_open(name):
            with self._one_answer():
                return
        self.portfolio, self._account, self._may_move = portfolio, portfolio.account, may_move
        self._secret, self._secret_of = "", ""
        self._judged: Brand | None = None
        self._file: dict[str, Any] | None = None
        self._copy: IO[bytes] | None = None
        self._register(name)

    @property
    def _managed(self) -> Store:
        """The store, for those who may administer it."""
        if not access.may_administer(self.portfolio.account):
            raise NotAllowed("only the account local may do this")
        return self.portfolio.store

    @property
    def _brands(self) -> Brands:
        return self.portfolio.brands

    def _browser_state(self) -> dict[str, Any]:
        store = self.portfolio.store
        shown: dict[str, Any] = {"account": self._account.name, "file": self._file}
        shown |= {"secret": self._secret, "secret_of": self._secret_of}
        moment, keys = self.portfolio.now(), access.list_keys(store, self._account)
        shown["keys"] = [
            {name: value and str(value) for name, value in asdict(one).items()}
            | {"is_over": one.expires is not None and one.expires <= moment}
            for one in keys
        ]
        shown |= {"brand": self._brands.used or "", "brands": self._brands.names(), "look": _look(self._brands.current)}
        shown["warnings"] = _warnings(self._judged or self._brands.current)
        if access.may_administer(self.portfolio.account):
            accounts = access.list_accounts(store)
            shown["accounts"] = [[one.name, one.plan, len(access.list_keys(store, one))] for one in accounts]
            url = self.portfolio.base_url if self._may_move else None
            shown |= {"plans": list(PLANS), "base_url": url, "days": keep_days(store)}
            shown["time_zone"] = self.portfolio.time_zone
        return shown

    # ---- Messages from the browser

    def _handle_message(self, widget: Any, message: Any, buffers: Any) -> None:
        self._errors = {}
        super()._handle_message(widget, message, buffers)

    def _on_make_key(self, message: dict[str, Any]) -> None:
        label, expires = str(message.get("label", "")), access.expiry_of(str(message.get("expires", "")))
        self._secret = access.create_key(self.portfolio.store, self._account, label=label, expires=expires)
        self._secret_of = self._account.name

    def _on_dismiss_key(self, _message: Any) -> None:
        """Forget the new key, which stays until now because it is not shown again."""
        self._secret, self._secret_of = "", ""

    def _on_revoke_key(self, message: dict[str, Any]) -> None:
        access.revoke_key(self.portfolio.store, self._account, str(message.get("key", "")))

    def _on_judge_color(self, message: dict[str, Any]) -> None:
        """Take a color into account that was chosen, and is not saved yet."""
        chosen = {name: text for name in COLORS if isinstance(text := message.get(name), str)}
        self._judged = (self._judged or self._brands.current or Brand("Brand")).replace(**chosen)

    def _on_use_brand(self, message: dict[str, Any]) -> None:
        self._judged = None
        self._brands.use(str(message.get("brand", "")) or None)

    def _on_save_brand(self, message: dict[str, Any]) -> None:
        """Change the look of the brand in use; without one, make a brand and use it."""
        look = {name: text for name in LOOK if isinstance(text := message.get(name), str)}
        brand = (self._brands.current or Brand("Brand")).replace(**look | {"logo": look.get("logo") or None})
        key = self._brands.used or brand.name
        if key in self._brands and key != self._brands.used:
            raise InvalidParameter(Problem("name", key, "is the name of a saved brand; choose it above"))
        self._brands.save(key, brand.replace(accent=None) if brand.accent == brand.ink else brand)
        self._brands.use(key)
        self._judged = None

    def _on_show_account(self, message: dict[str, Any]) -> None:
        self._account = access.get_account(self._managed, str(message.get("account", "")))

    def _on_make_account(self, message: dict[str, Any]) -> None:
        name, plan = str(message.get("account", "")), str(message.get("plan", ""))
        self._account = access.create_account(self._managed, name, plan=plan)

    def _on_change_plan(self, message: dict[str, Any]) -> None:
        account = access.get_account(self._managed, str(message.get("account", "")))
        access.change_plan(self._managed, account, str(message.get("plan", "")))

    def _on_save_settings(self, message: dict[str, Any]) -> None:
        store, url, days = self._managed, message.get("base_url"), str(message.get("days", "")).strip()
        if self._may_move and url not in (None, self.portfolio.base_url):
            self.portfolio.base_url = kept_base_url(store, str(url))
        if isinstance(zone := message.get("time_zone"), str):
            self.portfolio.time_zone = zone
        self.portfolio.keep_visits(days=int(days) if days.isdecimal() else days or None)  # type: ignore[arg-type]

    def _on_back_up(self, _message: Any) -> None:
        self._copy, name = _backup(self._managed)
        self._file = {"name": name, "bytes": self._copy.seek(0, 2), "number": self._answered}
        self._copy.seek(0)

    def _on_part(self, message: dict[str, Any]) -> None:
        """Send the next part of the backup."""
        if self._copy:
            part = self._copy.read(PART)
            self.send({"answer": "part", "view": message.get("view")}, buffers=[part])
            if len(part) < PART:
                self._copy.close()
                self._copy = None


def _look(brand: Brand | None) -> dict[str, str]:
    """Return the fields of a brand that people set here, as texts."""
    shown = brand or Brand("-")
    colors = {"ink": shown.ink, "accent": shown.accent or shown.ink, "ground": shown.ground}
    texts = {"name": brand.name if brand else "", "logo": shown.logo or ""}
    return texts | {name: color.rgb for name, color in colors.items()}


def _warnings(brand: Brand | None) -> dict[str, str]:
    """Return a sentence for each color of a brand that does not stand out enough, by its field."""
    if brand is None:
        return {}
    found = color_contrasts(Brand(brand.name, ink=brand.ink, accent=brand.accent, ground=brand.ground).design("QR"))
    judged = {"ink": found["foreground"], "accent": found.get("markers.topLeft.innerColor")}
    return {name: one["words"] for name, one in judged.items() if one and one["verdict"] != ENOUGH}


def _backup(store: Store) -> tuple[IO[bytes], str]:
    """Return an open copy of a store, which has no name any more, and what to call it; a zip if visits are archived."""
    if isinstance(store, ServedStore):
        with store.standing():
            store = Snapshot(store.path)
    # Windows keeps an open file.
    with TemporaryDirectory(prefix="qrkit-backup-", ignore_cleanup_errors=True) as folder:
        place = Path(folder, "backup")
        place.mkdir()
        file = backup(store, place / Path(store.path).name)
        if history_folder(file).is_dir():
            file = Path(shutil.make_archive(str(file), "zip", place))
        return file.open("rb"), file.name
