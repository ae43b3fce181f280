"""`qrkit serve` as a process of its own."""

import re
import subprocess
import sys
from contextlib import contextmanager


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
        url = re.search(r"at (http://127\.0\.0\.1:[1-9]\d*),", said)[1]
        assert "Ctrl-C stops" in process.stdout.readline()
        yield process, url
    finally:
        process.kill()
        process.communicate()
