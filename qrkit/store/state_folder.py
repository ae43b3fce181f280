"""Finds the folder in which this machine keeps the inboxes of stores on servers."""

from __future__ import annotations

import os
from pathlib import Path

STATE_VARIABLE = "QRKIT_STATE_FOLDER"


def state_folder() -> Path:
    """Return the folder for local files of stores on servers; it may not exist yet.

    This is the folder in the environment variable `QRKIT_STATE_FOLDER`, or else the one that systemd gives a service
    (`StateDirectory=`), or else the state folder of the user.
    """
    if given := os.environ.get(STATE_VARIABLE) or os.environ.get("STATE_DIRECTORY", "").partition(":")[0]:
        return Path(given).absolute()
    places = ("LOCALAPPDATA", "AppData/Local") if os.name == "nt" else ("XDG_STATE_HOME", ".local/state")
    return Path(os.environ.get(places[0]) or Path("~").expanduser() / places[1]) / "qrkit"
