"""The stage and the flow of the studio, in JupyterLab, as a person with a browser uses them."""

import math

import pytest
from PIL import Image

from tests import icc
from tests.notebook.widgets.test_designer_browser import download, drag, settled, tab, told

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]

EMPTY = """
from qrkit import Brand, open_portfolio
from qrkit.widgets import Designer
shop = open_portfolio(":memory:", base_url="https://go.example.com")
shop.brands.save("Acme", Brand("Acme", ink="navy", accent="#9A3412", frame="bar"))
studio = Designer(portfolio=shop)
studio
"""
FRAGILE = """
from qrkit import Design
from qrkit.widgets import Designer
studio = Designer(Design(content="https://example.com/spring", padding=1, foreground="#99AAAA"))
studio
"""
LAYERS = """
from qrkit import Design, Layer
from qrkit.widgets import Designer
heart = Layer("icon:heart", x=60, y=60, width=30, height=30, name="heart")
plain = Design(content="https://example.com/spring", ec="H", size=10, width=330, layers=[heart])
studio = Designer(plain.with_logo("icon:star", 0.2, plate="circle", name="star"))
studio
"""
ALL_DRAWN = "() => [...document.querySelectorAll('[data-group=Frame] img')].every((one) => one.naturalWidth)"
TELL = "print(studio.design.to_json())"
MOST_ACTIONS = 7
MOST_CARD_ACTIONS = 10


def opened(notebook, cell, **options):
    page = notebook(cell, TELL, **options)
    studio = page.locator(".qrkit-designer")
    studio.wait_for()
    settled(page)
    return page, studio


def test_a_branded_framed_captioned_code_with_a_logo_takes_at_most_seven_actions(notebook, tmp_path):
    file = tmp_path / "acme.png"
    Image.new("RGB", (400, 200), "navy").save(file)
    page, studio = opened(notebook, EMPTY)
    actions = 0

    def act(action):
        nonlocal actions
        action()
        actions += 1
        settled(page)

    act(lambda: studio.get_by_label("Web address", exact=True).fill("https://acme.example/menu"))
    act(studio.get_by_role("button", name="Acme", exact=True).click)
    caption = studio.get_by_role("textbox", name="Edit the caption")
    act(caption.click)

    def write():
        caption.fill("See the menu")
        page.keyboard.press("Enter")

    act(write)
    act(studio.get_by_role("tab", name="Logo").click)
    act(lambda: studio.locator(".qk-logo-form input[type=file]").set_input_files(file))
    studio.locator(".qk-layer:visible").wait_for()
    settled(page)
    assert actions <= MOST_ACTIONS
    design = told(page)
    assert design.content == "https://acme.example/menu"
    assert design.foreground.rgb == "#000080"
    assert design.frame.caption.text == "See the menu"
    assert design.layers[-1].name == "acme.png"

    caption.click()
    caption.fill("Never mind")
    page.keyboard.press("Escape")
    settled(page)
    assert told(page).frame.caption.text == "See the menu"


def test_one_click_makes_a_fragile_code_robust(notebook):
    _, studio = opened(notebook, FRAGILE)
    assert studio.locator(".qk-badge").get_attribute("data-verdict") != "robust"
    studio.get_by_role("button", name="Make scannable").click()
    studio.locator(".qk-badge[data-verdict=robust]").wait_for()


def middle(layer):
    return layer.x + layer.width / 2, layer.y + layer.height / 2


def test_layers_snap_to_each_other_and_a_logo_moves_with_its_plate(notebook):
    page, studio = opened(notebook, LAYERS)
    assert studio.locator(".qk-layer:visible").count() == 2
    drag(page, studio.get_by_role("button", name="star"), 30, 30)
    settled(page)
    heart, plate, logo = told(page).layers
    assert middle(plate) == pytest.approx(middle(logo), abs=0.3)
    assert middle(logo)[0] > 165
    scale = studio.locator(".qk-sheet").bounding_box()["width"] / 330
    box = studio.get_by_role("button", name="heart")
    box.scroll_into_view_if_needed()
    drag(page, box, (middle(logo)[0] - middle(heart)[0]) * scale + 2, 8)
    settled(page)
    heart, _, logo = told(page).layers
    assert middle(heart)[0] == pytest.approx(middle(logo)[0], abs=0.2)
    box.scroll_into_view_if_needed()  # the cell that tells the design took the page to itself
    corner, star = box.bounding_box(), studio.get_by_role("button", name="star").bounding_box()
    page.mouse.move(corner["x"], corner["y"])
    page.mouse.down()
    page.mouse.move(star["x"] + 3, corner["y"], steps=5)
    studio.locator(".qk-guide:not([hidden])").wait_for()
    page.mouse.up()
    settled(page)
    assert studio.locator(".qk-guide:not([hidden])").count() == 0
    heart, _, logo = told(page).layers
    assert heart.x == pytest.approx(logo.x, abs=0.2), "a corner that is dragged snaps, too"
    assert heart.width == pytest.approx(heart.height)
    studio.get_by_role("button", name="star").focus()
    page.keyboard.press("Delete")
    settled(page)
    assert [layer.name for layer in told(page).layers] == ["heart"]
    studio.get_by_role("button", name="heart").focus()
    page.keyboard.press("Delete")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    settled(page)
    assert len(told(page).layers) == 3


def test_picture_stays_in_sight_in_one_column_and_in_two(notebook):
    page, studio = opened(notebook, EMPTY, width=480)
    studio.get_by_role("button", name="Plain", exact=True).scroll_into_view_if_needed()
    last = tab(studio, "More").get_by_role("button", name="Open…")
    for width, height in ((480, 1000), (900, 560)):
        page.set_viewport_size({"width": width, "height": height})
        studio.get_by_role("button", name="Undo").scroll_into_view_if_needed()
        last.focus()
        box, control = studio.locator(".qk-stage").bounding_box(), last.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] < control["y"] or box["x"] + box["width"] < control["x"]


def test_frames_and_captions_are_switched_on_and_off_without_boxes(notebook):
    page, studio = opened(notebook, EMPTY)
    frames = tab(studio, "Frame")
    pictures = frames.get_by_role("radiogroup", name="Frame")
    assert pictures.get_by_label("None", exact=True).is_checked()
    page.wait_for_function(ALL_DRAWN)
    pictures.get_by_label("Ticket", exact=True).check(force=True)
    words = tab(studio, "Text").get_by_role("textbox", name="Caption")
    words.fill("Admit two")
    settled(page)
    frame = told(page).frame
    assert (frame.kind, frame.caption.text) == ("ticket", "Admit two")
    words.fill("")
    settled(page)
    assert told(page).frame.caption is None
    tab(studio, "Frame")
    pictures.get_by_label("None", exact=True).check(force=True)
    settled(page)
    assert told(page).frame is None


def test_a_download_is_what_its_purpose_asks_for(notebook):
    page, studio = opened(notebook, EMPTY)
    files = download(studio)
    files.get_by_role("radio", name="Office printer").check(force=True)
    with page.expect_download() as printed:
        files.get_by_role("button", name="Download PNG, 40 mm at 300 dpi").click()
    with Image.open(printed.value.path()) as picture:
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.5)
        assert picture.width / 300 * 25.4 == pytest.approx(40, abs=2)


def test_brand_colors_are_set_in_one_place(notebook):
    page, studio = opened(notebook, EMPTY)
    studio.get_by_role("button", name="Tent", exact=True).click()
    settled(page)
    colors = tab(studio, "Colors")
    colors.get_by_role("textbox", name="Foreground color", exact=True).fill("navy")
    colors.get_by_role("textbox", name="Background color", exact=True).fill("#FFF4D6")
    settled(page)
    assert told(page).markers.top_left.inner_color
    colors.get_by_role("button", name="Use these two colors everywhere").click()
    settled(page)
    design = told(page)
    assert (design.markers.top_left.inner_color, design.foreground.rgb) == (None, "#000080")


def test_a_width_that_cannot_be_printed_is_told_beside_its_field(notebook):
    page, studio = opened(notebook, EMPTY)
    files = download(studio)
    files.get_by_role("radio", name="Print shop").check(force=True)
    files.locator(".qk-fine").first.wait_for()
    width = files.get_by_label("Print width, mm")
    for wrong in ("60000", "-5"):
        width.fill(wrong)
        width.press("Tab")
        assert files.get_by_text("Must be between 2 and 5,000 mm.").is_visible()
        go = files.get_by_role("button", name="Download PDF", exact=True)
        assert (go.is_disabled(), files.get_by_role("button", name="Download as SVG").is_disabled()) == (True, True)
        files.locator(".qk-fine").first.wait_for(state="detached")
    width.fill("50")
    width.press("Tab")
    files.locator(".qk-fine").first.wait_for()
    with page.expect_download():
        files.get_by_role("button", name="Download PDF, 50 mm at 300 dpi").click()
    assert not files.get_by_text("Must be between").is_visible()


def test_a_pasted_column_of_web_addresses_is_the_content_of_each_code(notebook):
    _page, studio = opened(notebook, EMPTY)
    files = download(studio)
    files.get_by_role("radio", name="From a table").check(force=True)
    rows = "\n".join(f"{number},https://acme.example/{number}" for number in range(1, 13))
    files.get_by_label("Table", exact=True).fill(f"Table,Website\n{rows}")
    files.get_by_label("Table", exact=True).press("Tab")
    files.get_by_text("Columns: {Table}, {Website}").wait_for()
    content = files.get_by_label("Content of each")
    assert (content.input_value(), files.get_by_label("Caption of each").input_value()) == ("{Website}", "{Table}")
    content.fill("https://acme.example")
    told = files.get_by_text("All 12 codes are the same; {Website} is not used")
    told.wait_for()
    files.get_by_role("radio", name="Labels and cards").check(force=True)
    files.get_by_role("img", name="First page of the sheet").wait_for()
    told.wait_for()
    content.fill("{Website}")
    files.get_by_text("Nothing to change before you print").wait_for()


def test_twelve_numbered_table_cards_for_a_print_shop_take_at_most_ten_actions(notebook, tmp_path):
    profile = tmp_path / "press.icc"
    profile.write_bytes(icc.profile())
    page, studio = opened(notebook, EMPTY)
    files = studio.get_by_role("region", name="Download")
    actions = (
        lambda: studio.get_by_label("Web address", exact=True).fill("https://acme.example/table/{n}"),
        lambda: studio.get_by_role("button", name="Bubble", exact=True).click(),
        lambda: download(studio),
        lambda: files.get_by_role("radio", name="Labels and cards").check(force=True),
        lambda: files.get_by_role("radio", name="A numbered set").check(force=True),
        lambda: files.get_by_label("Lines of text").fill("Table {n}"),
        lambda: files.get_by_label("Bleed, mm").fill("3"),
        lambda: files.get_by_label("Marks").select_option("crop"),
        lambda: files.get_by_label("Choose the color profile").set_input_files(profile),
    )
    for act in actions:
        act()
        settled(page)
    files.get_by_text("press.icc").wait_for()  # the page reads the file after it was chosen
    sheet = files.get_by_role("img", name="First page of the sheet")
    sheet.wait_for()
    files.get_by_text("Nothing to change before you print").wait_for()
    with page.expect_download() as cards:
        files.get_by_role("button", name="Download PDF", exact=True).click()
    assert len(actions) + 1 <= MOST_CARD_ACTIONS
    assert cards.value.suggested_filename == "sheet.pdf"
    sheet = cards.value.path().read_bytes()
    assert (sheet.count(b"/Type/Page/"), b"/S/GTS_PDFX/" in sheet) == (6, True)


def turn(page, box, degrees):
    """Take a layer by its knob, and turn it about its center."""
    box.hover()
    around = box.bounding_box()
    center = (around["x"] + around["width"] / 2, around["y"] + around["height"] / 2)
    knob = box.locator(".qk-knob").bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for share in (0.5, 1):
        angle = math.radians(degrees * share)
        across, down = x - center[0], y - center[1]
        page.mouse.move(
            center[0] + across * math.cos(angle) - down * math.sin(angle),
            center[1] + across * math.sin(angle) + down * math.cos(angle),
            steps=4,
        )
    page.mouse.up()


def top_left(layer):
    """Where the top left corner of a rotated image is."""
    (x, y), upright, angle = middle(layer), layer.upright, math.radians(layer.rotation)
    across, down = -upright.width / 2, -upright.height / 2
    return x + across * math.cos(angle) - down * math.sin(angle), y + across * math.sin(angle) + down * math.cos(angle)


def test_layers_are_rotated_by_hand_by_keys_and_by_number(notebook):
    page, studio = opened(notebook, LAYERS)
    heart, star = (studio.get_by_role("button", name=name) for name in ("heart", "star"))
    before = told(page).layers
    heart.scroll_into_view_if_needed()
    turn(page, heart, 30)
    settled(page)
    layer = told(page).layers[0]
    assert layer.rotation == pytest.approx(30, abs=1.5)
    assert (layer.upright.x, layer.upright.width) == (60, 30)
    heart.scroll_into_view_if_needed()
    turn(page, heart, 43 - layer.rotation)
    settled(page)
    assert told(page).layers[0].rotation == 45, "it snaps"
    heart.focus()
    for key in ("]", "{", "{"):
        page.keyboard.press(key)
    settled(page)
    turned = told(page).layers[0]
    assert turned.rotation == 58
    heart.scroll_into_view_if_needed()
    box = heart.locator(".qk-corner-se").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    corner = heart.locator(".qk-corner-nw").bounding_box()
    page.mouse.down()
    page.mouse.move(box["x"] + 2 * (box["x"] - corner["x"]), box["y"] + 2 * (box["y"] - corner["y"]), steps=5)
    page.mouse.up()
    settled(page)
    larger = told(page).layers[0]
    assert larger.upright.width == pytest.approx(larger.upright.height)
    assert larger.upright.width > 60
    assert top_left(larger) == pytest.approx(top_left(turned), abs=0.3), "the opposite corner stays"

    star.focus()
    page.keyboard.press("]")
    settled(page)
    assert [round(layer.rotation) for layer in told(page).layers] == [58, 15, 15], "a logo and its plate turn together"
    field = studio.get_by_role("spinbutton", name="Rotation").nth(0)
    field.fill("0")
    settled(page)
    assert told(page).layers[0] == larger.upright
    for _ in range(6):
        studio.get_by_role("button", name="Undo").click()
        settled(page)
    assert told(page).layers == before
