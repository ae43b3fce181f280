"""JupyterLab on this machine's loopback, and a page of Chromium that shows it."""

import contextlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 90
WAIT_MS = 30_000
KERNEL_IS_IDLE = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server with a folder and settings of its own: (address, token, folder)."""
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    folder.mkdir()
    quiet = home / "jupyterlab_settings_dir/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    token = secrets.token_hex(16)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_SETTINGS_DIR")
    own = {name: str(home / name.lower()) for name in (*names, "JUPYTERLAB_WORKSPACES_DIR")}
    environment = os.environ | own | {"HOME": str(home), "PYTHONPATH": str(ROOT), "JUPYTER_TOKEN": token}
    options = [
        "--no-browser",
        "--ip=127.0.0.1",
        "--port=0",
        "--allow-root",
        "--expose-app-in-browser",
    ]
    log = (home / "log").open("wb")
    command = [sys.executable, "-m", "jupyterlab", *options]
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=log)
    try:
        yield _address(process), token, folder
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=20)
        process.kill()
        log.close()


def _address(process):
    """Where the server listens; it says so when it does."""
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    lines = []
    for line in process.stderr:
        lines.append(line)
        if found := re.search(rb"http://127\.0\.0\.1:\d+/", line):
            late.cancel()
            # With nobody to read on, the server would stop as soon as the pipe is full.
            threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
            return found[0].decode()
    raise RuntimeError(b"".join(lines[-20:]).decode())


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-gpu"]}
        started = playwright.chromium.launch(**options)
        yield started
        started.close()


@pytest.fixture
def notebook(lab, browser, request):
    """Opens a notebook of these cells in a page of its own, and runs it; gives the page."""
    address, token, folder = lab
    pages = []

    def opened(*cells, width=1400):
        name = f"{secrets.token_hex(4)}.ipynb"
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, folder / name)
        page = browser.new_page(viewport={"width": width, "height": 1000}, accept_downloads=True)
        page.set_default_timeout(WAIT_MS)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        pages.append(page)
        page.file = folder / name
        page.goto(f"{address}doc/tree/{name}?token={token}")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.wait_for_function(KERNEL_IS_IDLE)
        command(page, "notebook:run-all-cells")
        return page

    yield opened
    for page in pages:
        page.close()


def command(page, name, **options):
    """Have JupyterLab do one of its commands, without waiting for what comes of it."""
    page.wait_for_function("() => window.jupyterapp")
    page.evaluate("([name, options]) => { window.jupyterapp.commands.execute(name, options); }", [name, options])
