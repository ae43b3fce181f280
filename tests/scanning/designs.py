"""Designs that the tests of scannability share: good ones, and broken ones, each with what is wrong with it."""

from collections.abc import Iterator

from qrkit import Design, Gradient, Layer, Marker, Markers, Modules, QRImage, data_uri
from qrkit.design.decoration import Sprite, Wrapper
from tests.drawing.pictures import filled

URL = "https://example.com/x"
LONG = "https://example.com/catalogue/spring/2026/" + "p" * 48
CARD = "BEGIN:VCARD\nVERSION:3.0\nN:Lovelace;Ada\nFN:Ada Lovelace\nNOTE:" + "n" * 130 + "\nEND:VCARD"
PAYLOADS = {"url": URL, "long": LONG, "card": CARD}

CORNERS = ("top_left", "top_right", "bottom_left")


def plain(content: str = URL, **fields) -> Design:
    return Design(content=content, **fields)


def side_of(content: str = URL, **fields) -> int:
    """Pixels of the picture's side."""
    return QRImage(plain(content, **fields)).width


def with_logo(share: float, content: str = URL, icon: str = "icon:square", **fields) -> Design:
    """A design with a layer in the middle, of a share of the symbol's width; color and opacity are the layer's."""
    look = {name: fields.pop(name) for name in ("color", "opacity") if name in fields}
    whole = side_of(content, **fields)
    width = (whole - 2 * fields.get("padding", 4) * fields.get("size", 8)) * share
    corner = (whole - width) / 2
    return plain(content, **fields, layers=[Layer(icon, x=corner, y=corner, width=width, height=width, **look)])


def all_eyes(pattern: str, **look) -> Markers:
    return Markers(**{corner: Marker(pattern, **look) for corner in CORNERS})


def eye_drawing(radius: float, width: float = 1, pupil: float = 3, pupil_radius: float = 0, growth: float = 0) -> str:
    """An eye of any measures, in a picture of 9 x 9 modules."""
    start, side, core = 1 - growth, 7 + 2 * growth, 4.5 - pupil / 2
    inside = (start + width, side - 2 * width, max(radius - width, 0))
    boxes = ((0, 9, 0, "#fff"), (start, side, radius, "#000"), (*inside, "#fff"), (core, pupil, pupil_radius, "#000"))
    body = "".join(
        f'<rect x="{at}" y="{at}" width="{size}" height="{size}" rx="{corner}" fill="{color}"/>'
        for at, size, corner, color in boxes
    )
    return data_uri(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{body}</svg>'.encode())


def with_eyes(*measures: float, size: int = 8, **fields) -> Design:
    """A design whose three eyes are drawn with these measures."""
    far = side_of(size=size) / size - 4 - 8
    places = ((3, 3), (far, 3), (3, far))
    layers = [Layer(eye_drawing(*measures), x=x * size, y=y * size, width=9 * size, height=9 * size) for x, y in places]
    return plain(size=size, layers=layers, **fields)


def ring_and_disc(ring: float, disc: float = 3.0, shape: str = "circle") -> str:
    """A disc, a gap of one and a ring, in a picture of 9 x 9."""
    body = {
        "circle": f'<circle cx="4.5" cy="4.5" r="{disc / 2 + 1 + ring / 2}" fill="none" stroke="#000" '
        f'stroke-width="{ring}"/><circle cx="4.5" cy="4.5" r="{disc / 2}"/>',
        "square": f'<rect x="{2 - ring / 2}" y="{2 - ring / 2}" width="{5 + ring}" height="{5 + ring}" fill="none" '
        f'stroke="#000" stroke-width="{ring}"/><rect x="3" y="3" width="3" height="3"/>',
    }[shape]
    ground = '<rect width="9" height="9" fill="#fff"/>'
    return data_uri(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{ground}{body}</svg>'.encode())


def heart() -> Design:
    """A design as people make it: circles, a gradient, round eyes, and a heart in the middle."""
    design = Design(
        content="https://example.com/spring",
        ec="H",
        width=320,
        foreground=Gradient.linear("#0B3D91", "#5B1D6B"),
        modules=Modules(type="sprite", sprite="circle"),
        markers=all_eyes("eye-7"),
    )
    return design.with_logo("icon:heart", 0.22, color="#B00020")


def tiny_sprite(share: float, content: str = "icon:square", *, size: int = 8) -> Modules:
    """Sprites of a share of a module's width."""
    return Modules(type="sprite", sprites=[Sprite(width=size * share, height=size * share, content=content)])


def dark_frame(around: float = 0, *, inside: int = 400) -> Wrapper:
    """A black picture around the symbol, `around` pixels wide on each side."""
    side = inside + 2 * around
    place = {"x": around, "y": around, "width": inside, "height": inside}
    return Wrapper(source=filled((0, 0, 0, 255)), width=side, height=side, placeholder=place)


def broken() -> Iterator[tuple[str, Design]]:
    """What people make, and readers fail on, by a name."""
    for name, content in PAYLOADS.items():
        yield f"no quiet zone, {name}", plain(content, padding=0)
        yield f"half a logo, {name}", with_logo(0.5, content, ec="L")
        yield f"grey logo, {name}", with_logo(0.42, content, color="#FF6A00", ec="M")
        yield f"light on dark, {name}", plain(content, foreground="white", background="black")
        yield f"round eyes, {name}", plain(content, markers=all_eyes("circle"))
        yield f"faint, {name}", plain(content, foreground="#AAAAAA")
        yield f"grey on grey, {name}", plain(content, foreground="#505050", background="#787878")
        yield f"mirrored, {name}", plain(content, flip="horizontal")
        yield f"tiny sprites, {name}", plain(content, modules=tiny_sprite(0.4))
        yield f"light gradient, {name}", plain(content, foreground=Gradient.linear("#000000", "#D0D0D0"))
        yield f"logo on an eye, {name}", plain(content, layers=[Layer("icon:square", x=16, y=16, width=60, height=60)])
        yield f"faint eyes, {name}", plain(content, markers=all_eyes("default", inner_color="#C8C8C8"))
        yield f"clear on dark, {name}", plain(content, background="#00FFFFFF", padding=1)
        yield f"photo over all, {name}", with_logo(1.2, content, opacity=0.6)
