"""JupyterLab and others on this machine's loopback, and a page of Chromium that shows it."""

import contextlib
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from itertools import product
from pathlib import Path

import pytest

FOLDERS = (
    "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
    "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR",
)  # fmt: skip
NEWS = "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
ROOT = Path(__file__).parents[3]
THEMES = {"JupyterLab Light": "true", "JupyterLab Dark": "false"}
WIDTHS = (480, 1400)
EVERY_PLACE = tuple(product(THEMES, WIDTHS))
HEIGHT = 1000
FAULTS_ALONE = {"resultTypes": ["violations"]}
"""What is well is looked at, but not described node by node."""
START_SECONDS = 90
WAIT_MS = 30_000
FITS = """([selector, width]) => {
    const part = document.querySelector(selector);
    return part.getBoundingClientRect().width <= width && part.scrollWidth <= part.clientWidth + 1;
}"""
CLOSE_NOTEBOOKS = """async () => {
    for (const panel of [...window.jupyterapp.shell.widgets("main")]) {
        await panel.sessionContext?.shutdown();
        panel.dispose();
    }
}"""
KERNEL_IS_IDLE = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@contextlib.contextmanager
def _servers(tmp_path_factory):
    """Gives what starts a server of notebooks, with settings of its own, in a folder, and gives its address."""
    with contextlib.ExitStack() as servers:

        def started(command, folder, **environment):
            home = tmp_path_factory.mktemp("home")
            own = {name: str(home / name.lower()) for name in FOLDERS} | {"HOME": str(home), "PYTHONPATH": str(ROOT)}
            news = Path(
                own["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
            )
            news.parent.mkdir(parents=True)
            news.write_text('{"fetchNews": "false", "checkForUpdates": false}')
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=os.environ | own | environment,
                stderr=subprocess.STDOUT,
                stdout=subprocess.PIPE,
            )
            servers.callback(_end, process)
            return _address(process)

        yield started


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Starts a server of notebooks with settings of its own in a folder; gives its address. It ends with the module."""
    with _servers(tmp_path_factory) as started:
        yield started


def _end(process):
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab with a folder of its own: (address, token, folder)."""
    folder, token = tmp_path_factory.mktemp("notebooks"), secrets.token_hex(16)
    options = ["--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root", "--expose-app-in-browser"]
    with _servers(tmp_path_factory) as started:
        yield started([sys.executable, "-m", "jupyterlab", *options], folder, JUPYTER_TOKEN=token), token, folder


def _address(process):
    """Where the server listens; it says so when it does."""
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    lines = []
    for line in process.stdout:
        lines.append(line)
        if found := re.search(rb"http://(?:127\.0\.0\.1|localhost):(\d+)", line):
            _wait_until_it_listens(process, int(found[1]))
            late.cancel()
            # With nobody to read on, the server would stop as soon as the pipe is full.
            threading.Thread(target=_read_on, args=[process.stdout], daemon=True).start()
            return f"{found[0].decode()}/"
    raise RuntimeError(b"".join(lines[-20:]).decode())


def _wait_until_it_listens(process, port):
    """Wait for a server that says where it will listen; ends with the process."""
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return


def _read_on(stream):
    with contextlib.suppress(ValueError):  # closed
        for _ in stream:
            pass


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-gpu"]}
        started = playwright.chromium.launch(**options)
        yield started
        started.close()


@pytest.fixture(scope="module")
def profile(browser):
    """What pages of JupyterLab share, so that its megabytes of scripts are fetched and compiled once."""
    context = browser.new_context(accept_downloads=True, permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture(scope="module")
def open_notebook(lab, profile):
    """Opens a notebook of these cells and runs it, in this page of JupyterLab or in a new one; gives the page."""
    import nbformat  # takes seconds to load, which every run of any test would wait for

    address, token, folder = lab

    def opened(*cells, page=None, width=1400, on_websocket=None):
        name = f"{secrets.token_hex(4)}.ipynb"
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, folder / name)
        is_new = page is None
        if is_new:
            page = profile.new_page()
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.file = folder / name
        if on_websocket is not None:
            page.on("websocket", on_websocket)
        if is_new:
            page.goto(f"{address}doc/tree/{name}?token={token}")
        else:
            command(page, "docmanager:open", path=name)
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.wait_for_function(KERNEL_IS_IDLE)
        if on_websocket is not None:
            page.remove_listener("websocket", on_websocket)
        command(page, "notebook:run-all-cells")
        return page

    return opened


@pytest.fixture(scope="module")
def empty_pages():
    """Pages of JupyterLab that show no notebook: most of a test would be spent on loading one anew."""
    return []


@pytest.fixture
def notebook(open_notebook, empty_pages):
    """Opens notebooks likewise, each with a kernel of its own; closes them after the test."""
    pages = []

    def opened(*cells, **options):
        pages.append(open_notebook(*cells, page=empty_pages.pop() if empty_pages else None, **options))
        return pages[-1]

    yield opened
    for page in pages:
        page.evaluate(CLOSE_NOTEBOOKS)
        if page.locator(".jp-Dialog").count():  # a test has failed
            page.close()
        else:
            empty_pages.append(page)


@pytest.fixture(scope="session")
def faults():
    """Gives what keeps people from using a part of a page, in these places: themes, and widths in pixels."""
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import TimeoutError

    def found(page, selector, places=EVERY_PLACE):
        for theme, width in places:
            is_light = THEMES[theme]
            if page.locator("body").get_attribute("data-jp-theme-light") != is_light:
                command(page, "apputils:change-theme", theme=theme)
                page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=is_light)
            page.set_viewport_size({"width": width, "height": HEIGHT})
            place = f"{theme}, {width} pixels:"
            try:
                # JupyterLab lays its page out anew some time after the window has another size.
                page.wait_for_function(FITS, arg=[selector, width])
            except TimeoutError:
                yield f"{place} wider than its page"
            for one in Axe().run(page, context=selector, options=FAULTS_ALONE).response["violations"]:
                if one["impact"] in ("serious", "critical"):
                    node = one["nodes"][0]
                    yield f"{place} {one['id']} {node['html'][:160]} {node.get('failureSummary', '')[:200]}"

    return found


def command(page, name, **options):
    """Have JupyterLab do one of its commands, without waiting for what comes of it."""
    page.wait_for_function("() => window.jupyterapp")
    page.evaluate("([name, options]) => { window.jupyterapp.commands.execute(name, options); }", [name, options])
