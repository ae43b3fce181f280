"""The designer in JupyterLab, used as a person with a browser uses it."""

import json
import subprocess
import sys
from statistics import median

import pytest
from PIL import Image

from qrkit import Design, generate
from tests.notebook.widgets.conftest import EVERY_PLACE
from tests.server.test_deployment import free_port
from tests.sweeps import night_after

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]

CROSSWISE = ((EVERY_PLACE[0], EVERY_PLACE[3]), (EVERY_PLACE[2], EVERY_PLACE[1]))
"""Both themes and both widths; a theme is changed for two tabs."""

MAKE = """
from qrkit import Design, Layer
from qrkit.widgets import Designer
layer = Layer("icon:heart", x=120, y=120, width=48, height=48, display="box-hit-test")
studio = Designer(Design(content="https://example.com/spring", ec="H", layers=[layer]))
studio
"""
TELL = "print(studio.design.to_json())"
ALL_SEEN = "() => [...document.querySelectorAll('.qk-look img')].every((one) => one.naturalWidth)"
HELD = "() => document.activeElement.ariaLabel ?? document.activeElement.innerText"
IS_IN_SIGHT = """(part) => {
    const [inside, around] = [part, part.closest(".qk-panel")].map((one) => one.getBoundingClientRect());
    return inside.top >= around.top && inside.bottom <= Math.min(around.bottom, innerHeight) + 1;
}"""
MOST_BYTES_AGAIN = 60_000
MOST_RENDERS_BEHIND = 3
TABS = ["Looks", "Content", "Colors", "Shapes", "Logo", "Frame", "Text", "More"]


def run(page, number):
    """Run one cell of the notebook, and wait until it has run."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".jp-InputArea-prompt").click()
    page.evaluate("async () => { await window.jupyterapp.commands.execute('notebook:run-cell'); }")
    return cell


def told(page, number=1):
    """The design as Python has it now."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    clear = "number => { window.jupyterapp.shell.currentWidget.content.widgets[number].model.clearExecution(); }"
    page.evaluate(clear, number)
    run(page, number)
    return Design.from_json(cell.locator(".jp-OutputArea-output pre").inner_text())


def settled(page):
    """Wait until Python has looked at the picture after the last change."""
    page.locator(".qrkit-designer:not(.qk-asking) .qk-badge:not(.qk-old)").wait_for()


def opened(notebook, **options):
    page = notebook(MAKE, TELL, **options)
    studio = page.locator(".qrkit-designer")
    studio.wait_for()
    settled(page)
    return page, studio


def tab(studio, name):
    studio.get_by_role("tab", name=name).click()
    return studio.get_by_role("tabpanel", name=name)


def download(studio):
    """Open what downloads and copies."""
    studio.get_by_role("button", name="Download", exact=True).click()
    return studio.get_by_role("region", name="Download")


def drag(page, locator, across, down):
    box = locator.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across / 2, y + down / 2, steps=5)
    page.mouse.move(x + across, y + down, steps=5)
    page.mouse.up()


@pytest.mark.slow
def test_design_made_by_hand_is_the_one_python_has(notebook):
    page, studio = opened(notebook)
    drag(page, studio.locator(".qk-layer"), 60, 40)
    settled(page)
    moved = told(page).layers[0]
    assert moved.x > 150
    assert moved.y > 130
    assert (moved.width, moved.height) == (48, 48)

    tab(studio, "Shapes").get_by_label("Eye 5", exact=True).first.check(force=True)
    color = tab(studio, "Colors").get_by_role("textbox", name="Foreground color", exact=True)
    color.fill("blak")
    studio.get_by_text("did you mean 'black'?").wait_for()
    assert color.input_value() == "blak"
    color.fill("navy")
    settled(page)
    design = told(page)
    assert {marker.pattern for marker in (design.markers.top_left, design.markers.bottom_left)} == {"eye-5"}
    assert design.foreground.rgb == "#000080"

    studio.get_by_role("button", name="Undo").click()
    settled(page)
    assert told(page).foreground.rgb == "#000000"
    studio.get_by_role("button", name="Redo").click()
    settled(page)

    files = download(studio)
    with page.expect_download() as drawing:
        files.get_by_role("button", name="Download as SVG").click()
    with page.expect_download() as picture:
        files.get_by_role("button", name="Download as PNG").click()
    run(page, 0)
    assert page.locator(".qrkit-designer").count() == 1
    settled(page)
    design = told(page)
    assert design.foreground.rgb == "#000080"
    assert drawing.value.path().read_bytes() == generate(design).to_bytes("svg")
    assert picture.value.path().read_bytes() == generate(design).to_bytes("png")


@pytest.mark.slow
def test_copies_arrive_on_the_clipboard(notebook):
    page, studio = opened(notebook)
    download(studio).get_by_role("button", name="Copy as Python").click()
    studio.get_by_text("Copied").wait_for()
    names: dict = {}
    exec(page.evaluate("() => navigator.clipboard.readText()"), names)
    assert names["design"] == told(page)


@pytest.mark.slow
def test_keys_do_what_they_do_in_a_form_and_not_in_the_notebook(notebook):
    page, studio = opened(notebook)
    cells = page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    studio.get_by_role("tab", name="Looks").focus()
    page.keyboard.press("End")
    assert studio.get_by_role("tab", name="More").get_attribute("aria-selected") == "true"
    slider = studio.get_by_role("slider", name="Module size")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    settled(page)
    for letters in ("b", "a", "x", "dd", "m", "z"):
        for one in letters:
            page.keyboard.press(one)
    download(studio).get_by_role("button", name="Download as EPS").focus()
    for one in ("b", "a", "d", "d", "ArrowDown"):
        page.keyboard.press(one)
    assert cells.count() == before
    assert told(page).size == 10

    studio.get_by_role("button", name="Layer 1,").focus()
    at = told(page).layers[0]
    studio.get_by_role("button", name="Layer 1,").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowDown", "+"):
        page.keyboard.press(key)
    settled(page)
    now = told(page).layers[0]
    assert (now.x, now.y, now.width) == pytest.approx((at.x + 1.5, at.y + 8.5, at.width + 1), abs=0.2)
    studio.get_by_role("button", name="Layer 1,").focus()
    page.keyboard.press("Delete")
    studio.locator(".qk-layer").wait_for(state="detached")
    page.keyboard.press("Escape")
    studio.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    studio.locator(".qk-layer").wait_for()
    assert cells.count() == before


@pytest.fixture(scope="module")
def saved_page(open_notebook):
    """A notebook that was saved from within the studio."""
    page, studio = opened(open_notebook)
    assert not page.locator(".qrkit-twin").is_visible()
    tab(studio, "Content").get_by_role("textbox", name="Content").fill("https://example.com/saved")
    settled(page)
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    yield page
    page.close()


@pytest.mark.slow
def test_notebook_is_saved_from_within_the_studio(saved_page):
    saved = json.loads(saved_page.file.read_text())
    outputs = saved["cells"][0]["outputs"]
    assert "https://example.com/saved" in "".join(outputs[1]["data"]["text/html"])


@pytest.mark.slow
def test_exported_page_shows_the_last_picture_without_any_network(saved_page, browser, tmp_path):
    file = saved_page.file
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(tmp_path), str(file)]
    subprocess.run(command, check=True, capture_output=True)
    exported = browser.new_context(offline=True).new_page()
    exported.goto((tmp_path / file.name).with_suffix(".html").as_uri())
    picture = exported.locator(".qrkit-twin img")
    assert picture.is_visible()
    assert picture.evaluate("image => image.naturalWidth") > 200
    assert picture.get_attribute("alt") == "QR Code: https://example.com/saved"
    exported.context.close()


@pytest.mark.slow
def test_page_without_its_kernel_shows_the_picture(saved_page):
    page = saved_page
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.reload()
    page.locator(".qrkit-twin img").wait_for()
    assert page.locator(".qrkit-designer").count() == 0


@pytest.mark.slow
def test_running_the_cell_again_sends_little(notebook, record_property):
    sizes = []

    def count(socket):
        socket.on("framereceived", lambda frame: sizes.append(len(frame)))

    page, _ = opened(notebook, on_websocket=count)
    page.wait_for_function(ALL_SEEN)  # the looks, which are drawn once
    assert sum(sizes) > 0
    sizes.clear()
    run(page, 0)
    settled(page)
    record_property("bytes of a cell run again", sum(sizes))
    assert sum(sizes) < MOST_BYTES_AGAIN


TICKS = """async ([slider, count, pause]) => {
  const picture = slider.getRootNode().querySelector('.qk-shown');
  let seen = 0;
  new MutationObserver(() => (seen += 1)).observe(picture, { attributes: true, attributeFilter: ['src'] });
  for (let tick = 0; tick < count; tick += 1) {
    slider.value = tick % 2 ? 12 : 9;
    slider.dispatchEvent(new Event('input'));
    await new Promise((go) => setTimeout(go, pause));
  }
  seen = 0;
  await new Promise((go) => setTimeout(go, 1500));
  return seen;
}"""

LATENCY = """async ([slider, count]) => {
  const picture = slider.getRootNode().querySelector('.qk-shown');
  const times = [];
  for (let tick = 0; tick < count; tick += 1) {
    const shown = new Promise((go) => picture.addEventListener('load', go, { once: true }));
    const start = performance.now();
    slider.value = tick % 2 ? 12 : 9;
    slider.dispatchEvent(new Event('input'));
    await shown;
    times.push(performance.now() - start);
  }
  return times;
}"""


@pytest.mark.slow
def test_fast_ticks_of_a_slider_leave_few_renders_behind(notebook, capsys):
    page, studio = opened(notebook)
    slider = tab(studio, "More").get_by_role("slider", name="Module size").element_handle()
    behind = page.evaluate(TICKS, [slider, 40, 5])
    assert behind <= MOST_RENDERS_BEHIND
    assert told(page).size == 12
    times = page.evaluate(LATENCY, [slider, 40])
    speed = f"slider to picture: median {median(times):.0f} ms, worst {max(times):.0f} ms"
    with capsys.disabled():
        sys.stdout.write(f"\n{speed}; {behind} renders behind 40 ticks\n")


@pytest.mark.slow
@pytest.mark.parametrize("orders", night_after([CROSSWISE, (EVERY_PLACE, EVERY_PLACE[::-1])]))
def test_page_has_no_serious_faults_for_people_with_disabilities(notebook, faults, orders):
    page, studio = opened(notebook)
    found = []
    for number, name in enumerate(TABS):
        panel = tab(studio, name)
        if name == "Looks":
            download(studio)
        if name == "Frame":
            panel.get_by_label("Bubble", exact=True).check(force=True)
            panel.get_by_label("Color", exact=True).fill("navy")
            settled(page)
        if name == "More":
            panel.get_by_text("For experts").click()
        if name == "Colors":
            panel.get_by_role("radio", name="Gradient").first.check(force=True)
            panel.get_by_role("textbox", name="Background color", exact=True).fill("#12")
            panel.get_by_role("button", name="Use #121212").wait_for()
            panel.get_by_role("button", name="Swatches for Color", exact=True).first.click()
        found += [f"{name}: {fault}" for fault in faults(page, ".qrkit-designer", orders[number % 2])]
    assert found == []


@pytest.mark.slow
def test_voila_shows_a_studio_that_works(browser, tmp_path, start):
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(MAKE)])
    nbformat.write(book, tmp_path / "studio.ipynb")
    options = ["--no-browser", f"--port={free_port()}", "--Voila.ip=127.0.0.1"]  # of port 0 it says 0 again
    address = start([sys.executable, "-m", "voila", *options, "studio.ipynb"], tmp_path)
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    studio = page.locator(".qrkit-designer")
    studio.wait_for()
    tab(studio, "Content").get_by_role("textbox", name="Content").fill("https://example.com/voila")
    settled(page)
    assert page.locator(".qk-shown").get_attribute("alt") == "QR Code: https://example.com/voila"
    assert not page.locator(".qrkit-twin").is_visible()
    page.close()


@pytest.mark.slow
def test_uploaded_logo_keeps_its_proportions_and_is_called_by_its_file(notebook, tmp_path):
    file = tmp_path / "Cafe Nero.png"
    Image.new("RGB", (400, 200), "navy").save(file)
    page, studio = opened(notebook)
    layers = tab(studio, "More")
    layers.locator("input[type=file]").first.set_input_files(file)
    layers.get_by_text("Layer 1: Cafe Nero.png").wait_for()
    settled(page)
    (layer,) = told(page).layers
    assert layer.name == "Cafe Nero.png"
    assert (layer.x, layer.y, layer.width, layer.height) == (120, 132, 48, 24)
    assert studio.locator(".qk-layer").get_attribute("aria-label").startswith("Layer 1, Cafe Nero.png: ")


@pytest.mark.slow
def test_form_of_a_kind_writes_the_content(notebook):
    page, studio = opened(notebook)
    panel = tab(studio, "Content")
    kinds = panel.get_by_role("radiogroup", name="Kind of content")
    link = kinds.get_by_role("radio", name="Link")
    assert link.is_checked()
    kinds.get_by_role("radio", name="Wi-Fi network").check(force=True)
    panel.get_by_label("Network name").fill("Cafe; Nero")
    panel.get_by_text("Not drawn yet: Password is required for WPA").wait_for()
    panel.get_by_label("Password", exact=True).fill("espresso")
    settled(page)
    assert told(page).content == r"WIFI:T:WPA;S:Cafe\; Nero;P:espresso;;"
    assert panel.get_by_role("textbox", name="Content").input_value() == told(page).content
    studio.get_by_role("button", name="Undo").click()
    settled(page)
    assert link.is_checked()
    kinds.get_by_label("More kinds of content").select_option(label="Text")
    settled(page)
    assert not link.is_checked()


@pytest.mark.slow
def test_form_says_what_it_cleaned_and_what_it_keeps(notebook):
    page, studio = opened(notebook)
    panel = tab(studio, "Content")
    content = panel.get_by_role("textbox", name="Content")
    content.fill("MECARD:N:Petek,Ana;TEL:12345;NICKNAME:Ani;;")
    panel.get_by_text("This code also contains, and keeps: NICKNAME:Ani.").wait_for()
    panel.get_by_label("Phone").first.fill("030\u2011123456")
    panel.get_by_text("Phone was cleaned of U+2011 (non-breaking hyphen).").wait_for()
    settled(page)
    assert told(page).content == "MECARD:N:Petek,Ana;TEL:030123456;NICKNAME:Ani;;"


@pytest.mark.slow
def test_refused_value_stays_with_its_reason_and_one_click_mends_it(notebook):
    page, studio = opened(notebook)
    colors = tab(studio, "Colors")
    color = colors.get_by_role("textbox", name="Foreground color", exact=True)
    color.fill("#12")
    offer = colors.get_by_role("button", name="Use #121212")
    offer.wait_for()
    assert color.get_attribute("aria-invalid") == "true"
    reasons = [page.locator(f"#{one}").inner_text() for one in color.get_attribute("aria-describedby").split()]
    assert any("must be" in reason.lower() for reason in reasons)
    slider = tab(studio, "More").get_by_role("slider", name="Quiet zone")
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    tab(studio, "Colors")
    download(studio).get_by_role("button", name="Download as PDF").click()
    studio.get_by_role("alert").filter(has_text="correct or undo it").wait_for()
    assert color.input_value() == "#12"
    offer.click()
    settled(page)
    assert (color.input_value(), color.get_attribute("aria-invalid")) == ("#121212", None)
    design = told(page)
    assert (design.foreground.rgb, design.padding) == ("#121212", 5)
    assert colors.get_by_text("Contrast 92%: enough").count() == 1
    color.fill("#AAAAAA")
    colors.get_by_text("Contrast 33%: scanners may fail").first.wait_for()


@pytest.mark.slow
def test_tab_stops_once_in_the_gallery_and_arrow_keys_move_in_it(notebook):
    page, studio = opened(notebook)
    looks = tab(studio, "Looks").get_by_role("group", name="Looks")
    looks.get_by_role("button", name="Plain", exact=True).focus()
    for key, name in {
        "ArrowDown": "Plain in midnight",
        "ArrowRight": "Plain in graphite",
        "End": "Wifi in plum",
        "ArrowUp": "Wifi",
        "Home": "Plain",
    }.items():
        page.keyboard.press(key)
        assert page.evaluate(HELD) == name
    page.keyboard.press("ArrowRight")
    for key, inside in {"Shift+Tab": 0, "Tab": 1}.items():
        page.keyboard.press(key)
        assert looks.locator(":focus").count() == inside
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    looks.get_by_role("button", name="Plain in midnight", exact=True, pressed=True).wait_for()


@pytest.mark.slow
def test_an_error_below_what_a_panel_shows_comes_into_sight(notebook):
    _, studio = opened(notebook)
    more = tab(studio, "More")
    error = more.locator(".qk-files .qk-error")
    more.get_by_label("Open a design file").set_input_files({"name": "a.json", "mimeType": "", "buffer": b"{"})
    error.filter(has_text="JSON").wait_for()
    assert error.evaluate(IS_IN_SIGHT)


@pytest.mark.slow
def test_gradient_is_made_on_its_bar_by_hand_and_by_keys(notebook):
    page, studio = opened(notebook)
    colors = tab(studio, "Colors")
    colors.get_by_role("radio", name="Gradient").first.check(force=True)
    bar = colors.locator(".qk-ramp").first
    bar.wait_for()
    settled(page)
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    stops = bar.get_by_role("slider")
    stops.nth(2).wait_for()
    settled(page)
    assert [stop.offset for stop in told(page).foreground.stops] == [0, 0.5, 1]

    stops.nth(1).scroll_into_view_if_needed()  # the cell that tells the design took the page to itself
    drag(page, stops.nth(1), box["width"] / 4, 0)
    settled(page)
    assert told(page).foreground.stops[1].offset == pytest.approx(0.75, abs=0.03)
    stops.nth(1).focus()
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("navy")
    settled(page)
    middle = told(page).foreground.stops[1]
    assert (middle.color.rgb, middle.offset) == ("#000080", pytest.approx(0.65, abs=0.03))
    stops.nth(1).focus()
    page.keyboard.press("Delete")
    stops.nth(2).wait_for(state="detached")

    colors.get_by_role("spinbutton", name="Angle").fill("90")
    settled(page)
    direction = told(page).foreground.direction
    ends = (direction.start.x, direction.start.y, direction.stop.x, direction.stop.y)
    assert ends == pytest.approx((0.5, 0, 0.5, 1))
    colors.get_by_role("button", name="Ocean").click()
    settled(page)
    assert [stop.color.rgb for stop in told(page).foreground.stops] == ["#0B3D91", "#0A5F78"]
