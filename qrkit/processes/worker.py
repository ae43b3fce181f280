"""Runs as a worker process: `python worker.py SCRIPT` answers the requests on stdin with a script, until stdin ends.

A script is a file that has:

- `MOST_MEMORY`: bytes of address space, or None for no limit;
- `answer(*parts)`: returns the outcome, 0 to 127, and the bytes of the answer to a request, whose parts are bytes;
- `start()`, if there is something to do before the first request.

It runs as a file, and so does this one, so that a worker starts without loading the rest of qrkit.
"""

from __future__ import annotations

import signal
import struct
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

ANSWER = struct.Struct(">BI")
"""The header of an answer: its outcome, and its length in bytes."""
LAST = 0x80
"""Added to an outcome by a worker that ends after this answer."""

_COUNT = struct.Struct(">I")


def request_head(parts: tuple[bytes, ...]) -> bytes:
    """Return the header of a request: the number of its parts and the length of each."""
    return struct.pack(f">{1 + len(parts)}I", len(parts), *map(len, parts))


def _limit_memory(wanted: int) -> None:
    try:
        import resource
    except ImportError:  # Windows does not support this limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    # The hard limit stays, because a worker may start workers that need more memory than itself.
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def limit_time(seconds: float) -> None:
    """End this process when it has used this much more processor time, however busy the machine is."""
    if hasattr(signal, "setitimer"):  # Windows has no such limit
        signal.setitimer(signal.ITIMER_PROF, seconds)


def main(path: str) -> None:
    """Answer requests until stdin ends."""
    script: Any = ModuleType("script")
    SourceFileLoader("script", path).exec_module(script)
    if hasattr(script, "start"):
        script.start()
    if script.MOST_MEMORY:
        _limit_memory(script.MOST_MEMORY)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(_COUNT.size):
        lengths = struct.Struct(f">{_COUNT.unpack(head)[0]}I")
        parts = [requests.read(length) for length in lengths.unpack(requests.read(lengths.size))]
        outcome, answer = script.answer(*parts)
        answers.write(ANSWER.pack(outcome, len(answer)))
        answers.write(answer)
        answers.flush()
        if outcome & LAST:
            return
        del parts, answer  # they may be large, and the next request may be far


if __name__ == "__main__":
    main(*sys.argv[1:])
