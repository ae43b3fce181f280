"""A terminal without a window: runs programs that ask, color or complete only where a person sits."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
from contextlib import suppress

__all__ = ["on_terminal"]

LONGEST = 30
"""Seconds without a word after which a program is stopped, and the test fails."""


def on_terminal(words, *steps, columns=80, env=None, cwd=None):
    """Run a program on a terminal, and return its exit status and all that the terminal has got.

    Args:
        words: The program and its arguments.
        *steps: What to wait for and what to type then, in turn.
        columns: The width of the terminal.
        env: Variables of the environment, beside those of the tests.
        cwd: The folder of the program.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        words,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=kept | {"TERM": "xterm-256color"} | (env or {}),
        start_new_session=True,
        preexec_fn=_hear_ctrl_c,
    )
    os.close(theirs)
    shown, seen, waiting = b"", 0, list(steps)
    with suppress(OSError):  # Linux says so where the program has closed the terminal
        while (is_ready := select.select([ours], [], [], LONGEST)[0]) and (data := os.read(ours, 65_536)):
            shown += data
            while waiting and (place := shown.find(waiting[0][0].encode(), seen)) >= 0:
                expected, typed = waiting.pop(0)
                seen = place + len(expected.encode())
                os.write(ours, typed.encode())
    if not is_ready:
        process.kill()
    status = process.wait()
    os.close(ours)
    assert is_ready and not waiting, f"waited for {waiting[:1]} after\n{shown.decode(errors='replace')}"
    return status, shown.decode().replace("\r\n", "\n")


def _hear_ctrl_c():
    """Let Ctrl-C reach the program, also where the tests run in the background of a shell, which ignores it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
