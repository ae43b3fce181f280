"""JupyterLab on this machine's loopback, and a page of Chromium that shows it."""

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 90
WAIT_MS = 30_000


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server with a folder and settings of its own: (address, token, folder)."""
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    folder.mkdir()
    token = secrets.token_hex(16)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_SETTINGS_DIR")
    own = {name: str(home / name.lower()) for name in (*names, "JUPYTERLAB_WORKSPACES_DIR")}
    environment = os.environ | own | {"HOME": str(home), "PYTHONPATH": str(ROOT), "JUPYTER_TOKEN": token}
    options = ["--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root", "--expose-app-in-browser", "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    log = (home / "log").open("wb")
    command = [sys.executable, "-m", "jupyterlab", *options]
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=log)
    try:
        yield _address(process, home / "jupyter_runtime_dir"), token, folder
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=20)
        process.kill()
        log.close()


def _address(process, runtime):
    """Where the server listens; it says so when it does."""
    import threading

    stop = threading.Timer(START_SECONDS, process.kill)
    stop.start()
    lines = []
    for line in process.stderr:
        lines.append(line)
        if b"http://127.0.0.1" in line:
            break
    stop.cancel()
    files = list(runtime.glob("jpserver-*.json"))
    assert files, b"".join(lines[-20:])
    # Who does not read on stops the server as soon as the pipe is full.
    threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
    return json.loads(files[0].read_text())["url"]


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

    def opened(*cells, width=1400, dark=False):
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
        if dark:
            page.evaluate("() => 0")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.locator(".jp-Notebook").first.click()
        command(page, "notebook:run-all-cells")
        return page

    yield opened
    for page in pages:
        page.context.close() if False else page.close()


def command(page, name, arguments=None):
    """Have JupyterLab do one of its commands."""
    page.wait_for_function("() => window.jupyterapp")
    page.evaluate("([name, options]) => window.jupyterapp.commands.execute(name, options || {})", [name, arguments])
