"""Processes that die of SIGKILL at a step of what they do to a store: a line of Python in `qrkit.store` or in s3fs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)
FORGOTTEN = datetime(2026, 3, 15)
"""The first moment whose visits `forget` keeps."""
NAME = "killed"
"""What a server calls these processes, so that a test can wait until it has noticed that one is dead."""
PATIENCE = 120
TRACED = (f"{os.sep}qrkit{os.sep}store{os.sep}", f"{os.sep}s3fs{os.sep}")


def steps_until_killed(what: str, place: str, target: str, *, at: int) -> int:
    """Do something in a process of its own, which dies at a step.

    Args:
        what: archive, forget or migrate.
        place: The path or URL of the store.
        target: Where its history or the migrated store shall be.
        at: The number of the step; 0 for a process that gets to its end.

    Returns:
        The number of steps if the process got to its end, and 0 if it died.
    """
    processes = multiprocessing.get_context("forkserver")  # what all of them import is imported once
    processes.set_forkserver_preload([__name__, "qrkit.store.upkeep.moving", "pandas"])
    here, there = processes.Pipe(duplex=False)
    keys = {name: value for name, value in os.environ.items() if name.startswith(("AWS_", "QRKIT_"))}
    process = processes.Process(target=_act, args=(what, place, target, at, keys, there))
    process.start()
    there.close()
    process.join(PATIENCE)
    died = process.exitcode == -signal.SIGKILL
    assert process.exitcode == 0 or (at and died), f"{what} ended with {process.exitcode}"
    steps = 0 if died else here.recv()
    here.close()
    process.close()
    return steps


def _act(what: str, place: str, target: str, at: int, keys: Mapping[str, str], end: Any) -> None:
    from qrkit import open_portfolio
    from qrkit.store import Store
    from qrkit.store.upkeep.maintenance import forget_visits
    from qrkit.store.upkeep.moving import migrate

    os.environ.update(keys)
    steps = 0

    def count(_frame: Any, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        if steps == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return count

    def trace(frame: Any, _event: str, _argument: Any) -> Any:
        return count if any(part in frame.f_code.co_filename for part in TRACED) else None

    with open_portfolio(place, clock=lambda: NOW) as shop, Store(target if what == "migrate" else ":memory:") as new:
        threading.settrace(trace)  # s3fs works in a thread of its own
        sys.settrace(trace)
        if what == "archive":
            shop.archive(to=target)
        elif what == "forget":
            forget_visits(shop.store, FORGOTTEN)
        else:
            migrate(shop.store, new)
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    end.send(steps)
