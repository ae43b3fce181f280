"""Puts a logo on a design, as large as leaves half of its error correction unless a size is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from pathlib import Path

from qrkit.design.color import Color
from qrkit.design.design import Design
from qrkit.design.limits import Display
from qrkit.drawing.logo import Ground, Logo, PlacedLogo, Plate, for_plate, ground_of, place_problems, plate_problems
from qrkit.drawing.resizing import pinned
from qrkit.drawing.untrusted.assets import Fetch, picture_content
from qrkit.errors import Problem, raise_any
from qrkit.symbol.encode import symbol_of

SHARES = (0.2, 0.18, 0.16, 0.14, 0.12, 0.1, 0.08)
"""Longer sides of a logo without a `share`, as shares of the symbol's side."""
SEEN = 0.18
"""Least share of a logo that is plain to see. A symbol that is too small for it gets a higher version."""
RAISED, HIGHEST = 3, 10
"""Versions by which a symbol grows at most for its logo, and the version up to which it does."""
PADDINGS = (1.0, 0.5, 0.0)
"""Parts of the padding that are tried in turn, because a ring with all of it may be too large for a small symbol."""
MIDDLE = (0.5, 0.5)
WIDEST, STEP = 0.4, 0.01
"""Largest share that `largest_share` returns, and how finely it looks."""


def with_logo(
    design: Design,
    content: str | bytes | Path,
    share: float | None = None,
    *,
    place: tuple[float, float] = MIDDLE,
    plate: Plate | None = "rounded",
    ring: str | Color | None = None,
    padding: float = 1.0,
    name: str = "",
    opacity: float = 1.0,
    color: str | Color | None = None,
    display: Display = "pixel-hit-test",
    tolerance: float = 0.0,
    fetch: Fetch | None = None,
) -> Design:
    """Return a design with a logo in its proportions, as its last layer.

    The layer below the logo is a plate: a ground in the background color with a clean edge. Modules that the plate
    touches are left out whole; `display="overlay"` keeps them. Without a plate, those that the logo touches are.
    With a plate, a design that does not set `ec` gets level H, because the plate covers more modules than its logo.
    If the design has neither a width nor a height, the result gets its current width, whatever is encoded. The logo
    keeps its place on the symbol, and its share of it, when `replace` changes size or content.

    Args:
        design: The design.
        content: The image: the path of a file, its bytes, `icon:NAME`, a data URI, or a URL with `fetch`.
        share: Longer side of the logo as a share of the symbol's side without the quiet zone, 0.01..2. By default,
            0.2 or 0.18, so that the logo uses at most half of the error correction. If the symbol is too small for
            that, and the design sets no `version`, it gets one of the next three versions, or free pad codewords;
            only where these are not enough, the logo is smaller, down to 0.08.
        place: Center of the logo, as shares of the symbol from its left and its top, 0..1.
        plate: Shape of the plate: `rounded`, `square`, or `circle`, which has round ends under a long logo; None for no
            plate.
        ring: Color of a thin ring around the logo, which needs a plate; None for no ring.
        padding: Ground between the logo and the edge or ring of the plate, in modules, 0..5. Without a `share`, less
            on a symbol that is too small for it.
        name: A name for your own reference.
        opacity: 0..1.
        color: Color of an icon; the foreground color by default.
        display: Which modules the plate, or a logo without one, leaves out, as in `Layer.display`; `overlay` keeps
            them all.
        tolerance: Pixels by which the area without modules is enlarged; negative values make it smaller.
        fetch: Downloads an image given by its URL. Without it, a URL raises an error.

    Raises:
        InvalidParameter: If an argument breaks its rule.
        AssetError: If the image is invalid or cannot be fetched.
        ContentTooLong: If the content of the design does not fit.

    Example:
        >>> from qrkit import Design
        >>> brand = Design(content="https://example.com").with_logo("icon:heart", 0.18, plate="circle", color="#9A3412")
        >>> brand.ec, brand.check("static").verdict
        ('H', 'robust')
    """
    problems = place_problems(place)
    if share is not None and not isinstance(share, Real):
        rule = "must be a number, the share of the symbol's width: 0.3 for 30%"
        problems.append(Problem("share", share, rule, "wrong-type"))
    elif share is not None and not 0.01 <= share <= 2:
        problems.append(Problem("share", share, "must be in 0.01..2 of the symbol's width", "out-of-range"))
    problems += plate_problems(plate, ring, padding)
    if not isinstance(content, str | bytes | Path):
        problems.append(Problem("content", content, "must be a path, bytes, icon:NAME, a data URI or a URL"))
    raise_any(problems)
    design = for_plate(design, plate)
    logo = Logo.read(picture_content(content, "logo"), fetch)
    ground = Ground(plate, ring, padding) if plate else None
    if share is None:
        design, share, ground = _choose_size(design, logo, ground, place, fetch)
    design = pinned(design)
    layer = logo.layer_on(design, share, place).replace(name=name, opacity=opacity, color=color)
    meeting = {"display": display, "tolerance": tolerance}
    return design.replace(layers=[*design.layers, *logo.layers(design, layer, ground, meeting)])


def _choose_size(
    design: Design, logo: Logo, ground: Ground | None, place: tuple[float, float], fetch: Fetch | None
) -> tuple[Design, float, Ground | None]:
    """Return the design, in a higher version if its logo needs one, the share, and the plate with its padding."""
    from qrkit.scanning.logo_trial import LogoTrial  # a logo of a given size does without numpy

    grounds = [ground._replace(padding=ground.padding * part) for part in PADDINGS] if ground else [None]
    tried = [(share, one) for one in grounds for share in SHARES]
    seen = [(share, one) for share, one in tried if share >= SEEN]
    for larger in map(pinned, _with_room(design)):
        trial = LogoTrial(larger, logo, fetch)
        # Most versions that are too small refuse the smallest of these logos.
        if trial.is_likely(*seen[-1], place):
            for share, one in seen:
                if trial.is_modest(share, one, place):
                    return larger, share, one
    trial = LogoTrial(pinned(design), logo, fetch)
    # A larger logo may use less, so each size is tried.
    modest = (one for one in tried if one[0] < SEEN and trial.is_modest(*one, place))
    return design, *next(modest, tried[-1])


def _with_room(design: Design) -> Iterator[Design]:
    """Yield the design and, unless it sets its version, the same design in the next versions."""
    yield design
    if design.version is None:
        version = symbol_of(design).version
        for raised in range(version + 1, min(version + RAISED, HIGHEST) + 1):
            yield design.replace(version=raised)
        if "pad_codewords" not in design.model_fields_set:
            yield design.replace(pad_codewords="free")


def largest_share(design: Design, placed: PlacedLogo, *, fetch: Fetch | None = None) -> float | None:
    """Return the largest share of a logo, with its plate, that uses at most half of the error correction, 0.01..0.4.

    None if every size uses more. The other layers of the design, its frame and its photo do not count.
    """
    from qrkit.scanning.logo_trial import LogoTrial

    logo = Logo.read(design.layers[placed.layer].content, fetch)
    trial, ground = LogoTrial(design, logo, fetch), ground_of(design, placed, logo)
    steps = largest_step(lambda step: trial.is_modest(step * STEP, ground, MIDDLE), 0, round(WIDEST / STEP) + 1)
    return round(steps * STEP, 2) if steps else None


def largest_step(is_good: Callable[[int], object], low: int, high: int) -> int:
    """Return the largest step above `low` and below `high` that is good, and all below it; `low` if there is none."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_good(middle) else (low, middle)
    return low
