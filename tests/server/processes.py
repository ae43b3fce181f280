"""`qrkit serve` as a process of its own, and the workers of a process."""

import fcntl
import re
import struct
import subprocess
import sys
import termios
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def served(store, *options, stderr=None):
    """A server on a free port; gives its process and its URL, and kills it where it is still there."""
    command = [
        sys.executable, "-W", "error", "-m", "qrkit", "serve", "--store", str(store), "--port", "0",
        "--no-access-log", "--trusted-proxies", "127.0.0.1", "--generates-a-minute", "0", *options,
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, encoding="utf-8")
    try:
        said = process.stdout.readline()
        url = re.search(r"at (http://127\.0\.0\.1:[1-9]\d*) ", said)[1]
        assert "Ctrl-C stops" in process.stdout.readline()
        yield process, url
    finally:
        process.kill()
        process.communicate()


def workers(parent):
    """The workers of a process that runs here."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and b"jobs/worker.py" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def has_request(worker):
    """Whether bytes wait for a worker that stands still."""
    with Path(f"/proc/{worker}/fd/0").open("rb", buffering=0) as pipe:
        return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"    "))[0] > 0
