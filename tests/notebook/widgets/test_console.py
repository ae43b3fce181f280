"""`qrkit studio` and `qrkit console`: the real process, and Chromium."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.notebook.console.pages import pages_of, show_console
from qrkit.portfolio.access import create_account, create_key

START_SECONDS = 240
WAIT_MS = 180_000
REPEATED_IDS = """() => {
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    return ids.filter((id, at) => ids.indexOf(id) !== at);
}"""
"""By the IDs, labels find their fields, also where several widgets share a page."""
PLACES = ((390, "light"), (1440, "light"), (900, "dark"))
"""Each width and each scheme of colors once."""
ASK_KERNEL = """async (type) => {
    const { kernelId } = JSON.parse(document.getElementById("jupyter-config-data").textContent);
    const socket = new WebSocket(`ws://${location.host}/api/kernels/${kernelId}/channels`);
    await new Promise((opened) => { socket.onopen = opened; });
    const replies = [];
    const header = (msg_type) => ({ msg_id: msg_type, msg_type, session: "s", username: "", version: "5.3" });
    const ask = (msg_type, content) => socket.send(JSON.stringify(
        { channel: "shell", header: header(msg_type), parent_header: {}, metadata: {}, content }));
    const told = new Promise((done) => {
        socket.onmessage = ({ data }) => {
            const message = JSON.parse(data);
            replies.push(message.msg_type);
            if (message.parent_header.msg_id === "kernel_info_request" && message.msg_type !== "status") done();
        };
    });
    ask(type, { code: "1 + 1", silent: false, store_history: false, user_expressions: {}, allow_stdin: false });
    ask("kernel_info_request", {});
    await told;
    socket.close();
    return replies;
}"""


LATE = """
if (performance.getEntriesByType("navigation")[0].type !== "reload") {
    const text = "Error displaying widget: model not found";
    document.addEventListener("DOMContentLoaded", () => document.querySelector("main").append(text));
}
"""
"""What ipywidgets writes in place of a widget that arrives as it gives up."""


@pytest.fixture
def start(tmp_path):
    """Starts a command in a folder of its own; gives the process and the address that it prints."""
    running = []

    def started(*words):
        home = {"HOME": str(tmp_path), "QRKIT_CONSOLE_TOKEN": "", "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "qrkit", *words, "--no-open", "--port", "0"],
            cwd=tmp_path,
            env=os.environ | home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        running.append(process)
        late = threading.Timer(START_SECONDS, process.kill)
        late.start()
        lines = []
        for line in process.stdout:
            lines.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+/(?:\?token=[\w-]{43})?(?=\s)", line):
                late.cancel()
                return process, found[0]
        raise RuntimeError("".join(lines))

    yield started
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


def stop(process):
    """Press Ctrl-C; give the exit status and what was printed since the address."""
    process.send_signal(signal.SIGINT)
    return process.wait(timeout=30), process.stdout.read()


def serious_faults(page, places=PLACES):
    from axe_playwright_python.sync_playwright import Axe

    for width, scheme in places:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        for one in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]:
            if one["impact"] in ("serious", "critical"):
                yield width, scheme, one["id"], one["nodes"][0]["html"][:160]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.needs("chromium", "loopback")
def test_shared_console_edits_a_store_and_loads_nothing_from_elsewhere(start, browser, tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb", base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com/door", name="Door", short_code="door")
        key = create_key(shop.store, shop.account)
    process, address = start("console", "--store", "shop.duckdb", "--sign-in")
    context = browser.new_context(viewport={"width": 900, "height": 900})
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(LATE)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda one: asked.append(one.url))
    page.goto(address)
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click(no_wait_after=True)
    page.get_by_text("Opening your portfolio…").wait_for()
    page.get_by_role("button", name="Door").or_(page.locator(".qk-pick")).first.click()
    page.get_by_text("Opening your portfolio…").wait_for(state="hidden")
    assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "reload"
    assert page.url == address, "the key stays out of the address"
    assert page.title() == "shop.duckdb · QR Codes"
    page.get_by_label("Edit QR Code").get_by_label("Name", exact=True).fill("Gate")
    page.get_by_role("button", name="Save").first.click()
    page.get_by_text("Saved").wait_for()
    page.locator(".qk-thumb").first.wait_for()  # with which the list is drawn anew
    head = page.get_by_role("group", name="Sort by").get_by_role("button", name="Scans").bounding_box()
    assert head["x"] == pytest.approx(page.locator(".qk-scans").first.bounding_box()["x"], abs=1)
    assert list(serious_faults(page)) == []
    page.get_by_role("tab", name="QR Codes").press("ArrowRight")
    page.locator(".qrkit-dashboard").wait_for()
    assert page.get_by_role("tab", name="Scans").get_attribute("aria-selected") == "true"
    page.get_by_role("tab", name="Studio").click()
    page.locator(".qrkit-designer, .qk-stage").first.wait_for()
    assert not page.locator(".qrkit-browser").is_visible()
    assert page.evaluate(REPEATED_IDS) == []
    place = page.locator(".qrkit-designer .qk-side").evaluate("one => getComputedStyle(one).position")
    assert place == "static", "styles of the portfolio browser do not reach the studio"
    page.get_by_role("tab", name="Settings").click()
    page.get_by_role("heading", name="API keys of local").wait_for()
    page.get_by_label("Expires on").fill("2999-12-31")
    page.get_by_role("button", name="Create key").click()
    page.get_by_text("expires on 31 December 2999").wait_for()
    page.get_by_label("Name of the organization").fill("Acme")
    page.get_by_role("button", name="Create brand").click()
    page.get_by_text("The brand is saved and in use.").wait_for()
    assert page.locator(".qk-secret code").inner_text().startswith("qk_"), "a new key stays until it is dismissed"
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text(re.compile("^(Copied to clipboard|Press Ctrl.C to copy)$")).wait_for()
    page.get_by_role("button", name="Dismiss").click()
    page.locator(".qk-secret").wait_for(state="hidden")
    assert page.get_by_label("Brand in use").input_value() == "Acme"
    assert list(serious_faults(page, PLACES[::2])) == []
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    ends = [tab.bounding_box() for tab in page.get_by_role("tab").all()]
    assert max(end["x"] + end["width"] for end in ends) <= 390, "all tabs are in sight"
    page.get_by_role("tab", name="QR Codes").click()
    page.locator(".qrkit-browser").wait_for()
    replies = page.evaluate(ASK_KERNEL, "execute_request")
    assert "execute_reply" not in replies
    host = re.escape(re.match(r"http://([^/]+)/", address)[1])
    assert [url for url in asked if not re.match(rf"(?:blob:)?(?:http|ws)://{host}/|data:", url)] == []
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("API key").wait_for()
    status, told = stop(process)
    context.close()
    assert (status, told) == (0, "")
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        assert [one.name for one in shop.list_qrcodes()] == ["Gate"]


def test_pages_are_made_when_they_are_selected():
    with open_portfolio(":memory:") as shop:
        pages = pages_of(shop)
        assert list(pages.widgets) == ["QR Codes"]
        pages.selected = "Scans"
        assert [type(one).__name__ for one in pages.widgets.values()] == ["PortfolioBrowser", "ScanDashboard"]
        dashboard = pages.widgets["Scans"]
        pages.selected = "nowhere"
        pages.selected = "Scans"
        assert pages.widgets["Scans"] is dashboard
        for widget in (*pages.widgets.values(), pages):
            widget.close()


def test_the_first_page_opens_without_pandas_and_numpy():
    program = (
        "import sys; from qrkit import open_portfolio; from qrkit.notebook.console.pages import pages_of;"
        "shop = open_portfolio(':memory:', base_url='https://go.example.com'); shop.insert_qrcode('x');"
        "pages_of(shop); sys.exit(bool({'pandas', 'numpy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", program], check=False).returncode == 0


def test_experiments_are_told_as_in_reports():
    with open_portfolio(":memory:") as shop:
        pages = pages_of(shop)
        pages.selected = "Experiments"
        experiments = pages.widgets["Experiments"]
        assert "choose “Add experiment”" in experiments.state["sentences"][0], "the console says how in the console"
        split = [{"variants": [{"name": name, "content": f"https://example.com/{name}"} for name in ("a", "<b>")]}]
        shop.insert_qrcode("https://example.com", name="Door", rules=split, click_id="click")
        pages.selected = "QR Codes"
        pages.selected = "Experiments"
        assert re.search("Door.*<b>", experiments.state["sentences"][0])
        assert pages.widgets["Experiments"] is experiments
        for widget in (*pages.widgets.values(), pages):
            widget.close()


def test_a_page_shows_the_account_that_has_signed_in(tmp_path, monkeypatch):
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        ana = create_account(shop.store, "Ana")
    shown = []
    monkeypatch.setattr("qrkit.notebook.console.pages.display", shown.append)
    show_console(str(tmp_path / "shop.duckdb"), ana.id)
    (pages,) = shown
    browser = pages.widgets["QR Codes"]
    assert (pages.account, browser.portfolio.account) == ("Ana", ana)
    for widget in (browser, pages):
        widget.close()
    browser.portfolio.store.close()
    with pytest.raises(StopIteration):
        show_console(str(tmp_path / "shop.duckdb"), "0" * 32)


def test_a_store_that_closes_under_an_open_page_is_reported_there():
    shop = open_portfolio(":memory:")
    pages = pages_of(shop)
    shop.close()
    pages.selected = "Scans"
    assert "closed" in pages.problem
    for widget in (*pages.widgets.values(), pages):
        widget.close()


@pytest.mark.needs("loopback")
def test_a_port_in_use_is_refused_in_words(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["studio", "--no-open", "--port", str(port)]) == 2
    assert f"port={port}: is used by another program" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--port", "seventy"], "'seventy' is not a port; use a number from 0 to 65535"),
        (["--port", "65536"], "'65536' is not a port; use a number from 0 to 65535"),
    ],
)
def test_ports_that_are_none_are_refused(words, told, capsys):
    with pytest.raises(SystemExit):
        main(["studio", *words])
    assert told in capsys.readouterr().err


def test_a_host_that_is_not_here_is_refused(capsys):
    assert main(["studio", "--no-open", "--host", "192.0.2.1"]) == 2
    assert "host='192.0.2.1': is not an address of this computer" in capsys.readouterr().err


def test_content_that_does_not_fit_is_refused_before_a_page_opens(capsys):
    assert main(["studio", "x" * 3000, "--no-open"]) == 2
    assert "qrkit studio:" in capsys.readouterr().err
