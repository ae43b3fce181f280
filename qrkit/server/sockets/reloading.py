"""Reloads the settings of a running server: applies what can change, and logs what needs a restart."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from qrkit.errors import QrkitError
from qrkit.server.app import App
from qrkit.server.operation.logs import OPERATIONS, set_log_level
from qrkit.server.settings import RELOADABLE, Settings

__all__ = ["reload_settings"]

_log = logging.getLogger(OPERATIONS)
_reloading = Lock()


def reload_settings(app: App, read: Callable[[], Settings]) -> None:
    """Read the settings of a running app again, apply them, and log the result.

    The settings in `RELOADABLE` are applied, and the GeoIP database is read again. If a setting is invalid or the
    database cannot be read, nothing changes.
    """
    with _reloading:
        before = app.settings
        try:
            wanted = read()
            app.reload(before.replace(**{name: getattr(wanted, name) for name in RELOADABLE}))
        except QrkitError as error:
            _log.error("the settings were not reloaded, and all stay as they were: %s", error)
            return
        set_log_level(app.settings.log_level)
        changed = [name for name in Settings.model_fields if getattr(wanted, name) != getattr(before, name)]
        applied = [name for name in changed if name in RELOADABLE]
        others = [name for name in changed if name not in RELOADABLE]
        _log.info("the settings were reloaded; changed: %s", ", ".join(applied) or "none")
        if others:
            _log.warning("these settings changed, and need a restart: %s", ", ".join(others))
