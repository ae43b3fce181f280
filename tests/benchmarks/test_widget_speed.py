"""How long a person at the studio and the portfolio browser waits, in JupyterLab in Chromium.

Wall time means something on a quiet machine only. Beside it stands the processor time of the kernel and of the
processes that draw for it, which other programs change little.
"""

import os
from pathlib import Path
from statistics import median, quantiles

import pytest

from qrkit import open_portfolio
from tests.notebook.widgets.conftest import (  # noqa: F401  # fixtures
    browser,
    empty_pages,
    lab,
    notebook,
    open_notebook,
    profile,
)

pytestmark = [pytest.mark.benchmark, pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]

EVENTS = 120
CHECKS = 12
WARM = 10
CODES = 100_000
OPENINGS = 5
WORDS = ("code 77", "item/9999", "campaign 3", "no such code at all", "example.com/item/5")
MAKE = """
from qrkit import Design, Layer, Markers, Modules
from qrkit.presets import with_preset
from qrkit.widgets import Designer
start = Design(content="https://example.com/menu", ec="H", width=600)
circles = start.replace(modules=Modules(type="sprite", sprite="circle"), markers=Markers.all("eye-2"))
designs = {
    "plain": start,
    "decorated, with a logo": circles.with_logo("icon:heart", 0.2),
    "preset mosaic": with_preset(start, "mosaic"),
    "preset bubble, with a caption": with_preset(start, "bubble", caption="See the menu"),
}
Designer(designs[%r])
"""
OPEN = """
from itertools import count
from qrkit import open_portfolio
from qrkit.widgets import PortfolioBrowser
shop, names = open_portfolio("shop.duckdb"), count()
"""
SHOW = 'PortfolioBrowser(shop, name=f"browser {next(names)}")'
RUN_TO_ROWS = """async () => {
    const cell = window.jupyterapp.shell.currentWidget.content;
    cell.activeCellIndex = 1;
    cell.widgets[1].model.clearExecution();
    while (document.querySelector(".qrkit-browser")) await new Promise(requestAnimationFrame);
    const start = performance.now();
    window.jupyterapp.commands.execute("notebook:run-cell");
    while (!document.querySelector(".qrkit-browser .qk-pick")) await new Promise(requestAnimationFrame);
    return [performance.now() - start];
}"""
COLOR_TO_PICTURE = """async ([input, count]) => {
    const picture = input.getRootNode().querySelector(".qk-shown");
    const times = [];
    for (let event = 0; event < count; event += 1) {
        const shown = new Promise((go) => picture.addEventListener("load", go, { once: true }));
        const start = performance.now();
        input.value = `#${(0x100000 + event * 97 + count).toString(16)}`;
        input.dispatchEvent(new Event("input"));
        await shown;
        times.push(performance.now() - start);
    }
    return times;
}"""
CONTENT_TO_BADGE = """async ([input, count]) => {
    const badge = input.getRootNode().querySelector(".qk-badge");
    const studio = badge.closest(".qrkit-designer");
    const isOld = () => badge.classList.contains("qk-old");
    const times = [];
    for (let event = 0; event < count; event += 1) {
        while (studio.classList.contains("qk-asking")) await new Promise(requestAnimationFrame);
        const start = performance.now();
        input.value = `https://example.com/menu/${event}`;
        input.dispatchEvent(new Event("input"));
        for (const wanted of [true, false]) while (isOld() !== wanted) await new Promise(requestAnimationFrame);
        times.push(performance.now() - start);
    }
    return times;
}"""
WORDS_TO_ROWS = """async ([search, words]) => {
    const root = document.querySelector(".qrkit-browser");
    const isAsking = () => root.classList.contains("qk-asking");
    const times = [];
    for (const one of words) {
        while (isAsking()) await new Promise(requestAnimationFrame);
        const shown = new Promise((go) => {
            const seen = new MutationObserver(() => { seen.disconnect(); go(); });
            seen.observe(root.querySelector(".qk-total"), { childList: true });
        });
        const start = performance.now();
        search.value = one;
        search.dispatchEvent(new Event("input"));
        await shown;
        times.push(performance.now() - start);
    }
    return times;
}"""


def kernel_seconds():
    """Processor time of all kernels below this process, and of the processes that they have started."""
    parents, seconds, kernels = {}, {}, set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        number = int(folder.name)
        parents[number] = int(fields[1])
        seconds[number] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        if b"ipykernel_launcher" in words:
            kernels.add(number)

    def above(number):
        while number:
            yield number
            number = parents.get(number, 0)

    own = os.getpid()
    return sum(seconds[one] for one in seconds if own in (line := list(above(one))) and kernels.intersection(line))


def measured(page, script, *arguments):
    """The times that a script gives, in milliseconds, and processor time of the kernel for each of them."""
    before = kernel_seconds()
    times = page.evaluate(script, list(arguments))
    return times, (kernel_seconds() - before) * 1000 / len(times)


def line(what, times, processor):
    cuts = quantiles(times, n=20, method="inclusive")
    return (
        f"{what}: median {median(times):.0f} ms, p95 {cuts[-1]:.0f} ms; kernel {processor:.0f} ms processor time each"
    )


@pytest.mark.parametrize(
    "design", ["plain", "decorated, with a logo", "preset mosaic", "preset bubble, with a caption"]
)
def test_a_change_becomes_a_picture_and_a_badge(design, notebook, capsys):  # noqa: F811
    page = notebook(MAKE % design)
    studio = page.locator(".qrkit-designer")
    studio.wait_for()
    page.locator(".qk-badge:not(.qk-old)").wait_for()
    studio.get_by_role("tab", name="Colors").click()
    color = studio.get_by_role("textbox", name="Foreground color", exact=True).element_handle()
    page.evaluate(COLOR_TO_PICTURE, [color, WARM])
    pictures = measured(page, COLOR_TO_PICTURE, color, EVENTS)
    page.locator(".qk-badge:not(.qk-old)").wait_for()
    studio.get_by_role("tab", name="Content").click()
    content = studio.get_by_role("textbox", name="Content").element_handle()
    badges = measured(page, CONTENT_TO_BADGE, content, CHECKS)
    assert page.locator(".qk-shown").get_attribute("alt").endswith(f"/menu/{CHECKS - 1}")
    with capsys.disabled():
        print(f"\n{design}, 600 px")  # noqa: T201
        print(line("  input to picture", *pictures))  # noqa: T201
        print(line("  input to badge, with the pause of 150 ms before it", *badges))  # noqa: T201


def test_a_browser_of_many_codes_opens_and_filters(notebook, lab, capsys):  # noqa: F811
    rows = "".join(f"Code {n},https://example.com/item/{n},Campaign {n % 40}\r\n" for n in range(CODES))
    with open_portfolio(lab[2] / "shop.duckdb", base_url="https://go.example.com") as shop:
        shop.import_file(f"QR Code Name,Content,Campaign\r\n{rows}".encode(), format="csv")
    page = notebook(OPEN, SHOW)
    page.locator(".qrkit-browser .qk-pick").first.wait_for()
    opened = [measured(page, RUN_TO_ROWS) for _ in range(OPENINGS)]
    words = [word[:end] for word in WORDS for end in range(1, len(word) + 1)]
    search = page.locator(".qrkit-browser").get_by_role("searchbox", name="Search").element_handle()
    filtered = measured(page, WORDS_TO_ROWS, search, words)
    assert page.locator(".qrkit-browser .qk-total").inner_text() == "11,111 QR Codes", (
        "those whose number begins with 5"
    )
    with capsys.disabled():
        print(f"\n{CODES:,} QR Codes")  # noqa: T201
        times, processor = [one for times, _ in opened for one in times], median(one for _, one in opened)
        print(line("  cell to rows", times, processor))  # noqa: T201
        print(line("  key to rows, with the pause of 30 ms before them", *filtered))  # noqa: T201
