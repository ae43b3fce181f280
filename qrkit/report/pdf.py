"""Prints a page as PDF with the Chromium installed on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from qrkit.errors import MissingProgram, RenderingFailed

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
"""Programs that print the same way; the first one on the PATH is used."""

SECONDS = 60
LARGEST = 200_000_000
"""Maximum bytes of a PDF that are read back."""

OFFLINE = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--no-pdf-header-footer",
)
"""Keep the browser itself from using the network; the page does not."""


def printed(html: str) -> bytes:
    """Print a page to PDF."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise MissingProgram(
            f"a PDF needs a browser, and none of {', '.join(BROWSERS)} is on the PATH; install Chromium, or save the "
            "report as HTML and print it from any browser"
        )
    with TemporaryDirectory(prefix="qrkit-", ignore_cleanup_errors=True) as folder:
        page, file = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, encoding="utf-8", newline="\n")
        options = [*OFFLINE, f"--user-data-dir={folder}/profile", f"--print-to-pdf={file}"]
        if getattr(os, "geteuid", lambda: 1)() == 0:
            options.append("--no-sandbox")  # Chromium's sandbox does not work as root
        try:
            done = subprocess.run([program, *options, page.as_uri()], check=False, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            raise RenderingFailed(f"{program} took longer than {SECONDS} s to print the report") from error
        except OSError as error:
            raise RenderingFailed(f"cannot start {program}: {error.strerror}") from error
        if done.returncode or not file.is_file() or not 0 < file.stat().st_size <= LARGEST:
            raise RenderingFailed(f"{program} printed no report (exit code {done.returncode})")
        return file.read_bytes()
