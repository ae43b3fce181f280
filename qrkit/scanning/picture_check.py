"""Checks an image of a QR Code from any source, without its design.

A drawing is measured and read like a design. A photo is taken under one light, from one angle and with one camera, so
it is not degraded again for readers. What it says about the print and what it says about itself are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, dist, floor, hypot
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qrkit.errors import NoSymbol
from qrkit.late import Image
from qrkit.scanning.budget import budget_of, true_modules
from qrkit.scanning.grade import graded
from qrkit.scanning.issues import issues_of
from qrkit.scanning.module_roles import module_codewords
from qrkit.scanning.photographs.drawings import has_flat_colors, is_drawing, is_tilted, is_upright
from qrkit.scanning.photographs.second_attempt import second_attempt, symbol_of_find
from qrkit.scanning.photographs.straightening import blurred, perspective
from qrkit.scanning.sampling import MARGIN, PIXELS, Sampled, median
from qrkit.scanning.scan_report import Audience, Issue, Level, ScanReport
from qrkit.scanning.structure import structure_of
from qrkit.scanning.verdict import no_verdict, report_of
from qrkit.symbol.decode import ATTEMPT_SECONDS, MOST_READ_SIDE, Readable, looks_at, where_in
from qrkit.symbol.locate import Located, at_sight, locate, other_kinds, uncorrected
from qrkit.symbol.rebuilding import rebuilt
from qrkit.symbol.symbol import Symbol, side_of

if TYPE_CHECKING:
    from qrkit.scanning.photographs.close_up import Corners
    from qrkit.scanning.photographs.photo_grade import PhotoGrade
    from qrkit.scanning.readers import Engine


SEEN_AROUND = 8
"""Modules around a symbol in the image for readers: twice its quiet zone."""

ENOUGH_PIXELS = 4
"""Pixels per module from which a reduced image shows a symbol as well as the whole one."""

MATCH_SECONDS = 0.3
"""Time to find the modules of a symbol that a reader has read without telling them."""


class Picture(NamedTuple):
    """An image to check.

    Attributes:
        greys: The image, its longer side reduced to `MOST_READ_SIDE`, in which symbols are sought.
        whole: The image with all its pixels.
        name: ` in ` and the name of its file, if it has one.
        place: Which of several frames or pages it is, such as `page 2 of 5`.
        others: The contents of the symbols that were found besides the first one.
    """

    greys: Image.Image
    whole: Image.Image
    name: str
    place: str
    others: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[Image.Image, ...]:
        """The images in which symbols are sought."""
        return (self.greys,) if self.greys is self.whole else (self.greys, self.whole)

    def in_whole(self, corners: Corners) -> Corners:
        """Return the corners of a symbol in the whole image."""
        scale = self.whole.width / self.greys.width
        return [(x * scale, y * scale) for x, y in corners]


class Match(NamedTuple):
    """A symbol in an image, its corners in the orientation of the encoded symbol, and the image of it."""

    symbol: Symbol
    corners: Corners
    sampled: Sampled


def open_pictures(picture: Readable, most_side: int | None = None) -> Iterator[tuple[Picture, Iterator[Image.Image]]]:
    """Yield each frame or page of an image, as it is printed, and its other looks; see `looks_at`."""
    for place, looks in looks_at(picture, most_side):
        whole = next(looks)
        yield Picture(_reduced(whole), whole, where_in(picture), place), looks


def _reduced(greys: Image.Image) -> Image.Image:
    """Return an image whose longer side has at most `MOST_READ_SIDE` pixels."""
    factor = min(1, MOST_READ_SIDE / max(greys.size))
    size = [max(1, round(side * factor)) for side in greys.size]
    return greys.resize(size, reducing_gap=2) if factor < 1 else greys


def check_picture(
    picture: Readable,
    level: Level = "standard",
    engines: Sequence[Engine] | None = None,
    *,
    audience: Audience = "phones",
    most_side: int | None = None,
) -> ScanReport:
    """Check an image; see `qrkit.check`, which raises the same errors."""
    seen, found = _find(picture, most_side)
    return replace(_report(seen, found, level, engines, audience), others=seen.others, place=seen.place)


def _report(
    seen: Picture, found: Located, level: Level, engines: Sequence[Engine] | None, audience: Audience
) -> ScanReport:
    """Return the report on a symbol, whether the image is a photo or a drawing."""
    match = match_of(seen.greys, found)
    if match and (photo := _photo(seen, match)):
        photo = replace(photo, is_read=_is_read(seen.greys, found))
        return photo_report(found.content, photo, level, audience)
    corners = seen.in_whole(found.corners)
    if not match and not is_upright(corners) and not has_flat_colors(seen.whole, corners):
        message = "the code can barely be read: the print is damaged, or the photo is too poor; come closer"
        issue = Issue("error-budget", "error", "print", 1, 0, message)
        return report_of(found.content, level, (issue,), audience=audience)
    return _check_drawing(seen.greys, found, match, level, engines, audience=audience)


def matched(picture: Readable) -> tuple[str, Match]:
    """Return the content of the code in an image, and its symbol.

    Raises the errors of `check_picture`, and `NoSymbol` as well if the modules cannot be told.
    """
    seen, found = _find(picture, None)
    if match := match_of(seen.greys, found):
        return found.content, match
    raise no_symbol(seen)


def photo_report(content: str, photo: PhotoGrade, level: Level, audience: Audience) -> ScanReport:
    """Return the report on a photo of a print."""
    from qrkit.scanning.photographs.photo_words import issues_of_photo

    return report_of(content, level, issues_of_photo(photo), audience=audience, budget=photo.budget, photo=photo)


def _find(picture: Readable, most_side: int | None) -> tuple[Picture, Located]:
    """Find a symbol in the frames of an image."""
    first = None
    for seen, others in open_pictures(picture, most_side):
        if found := _located(seen):
            return found
        first = first or (seen, others)
    assert first, "an image has a frame"
    seen, others = first
    if attempted := second_attempt(seen.greys, ATTEMPT_SECONDS["standard"]):
        return seen, attempted
    if any(locate(_reduced(look)) for look in others):
        advice = "draw it dark on a light background that is not transparent"
        raise NoSymbol(f"a QR Code was found{seen.name}, but it can hardly be seen on white paper: {advice}")
    raise no_symbol(seen)


def _located(seen: Picture) -> tuple[Picture, Located] | None:
    """Find a symbol; if it is too small in the reduced image, in the whole one, which is returned, too."""
    for greys in seen.sizes:
        if symbols := at_sight(greys):
            found, *others = symbols
            if found.version < 0:
                raise no_verdict()
            return _near(seen._replace(greys=greys, others=tuple(one.content for one in others)), found)
    return None


def _near(seen: Picture, found: Located) -> tuple[Picture, Located]:
    """Return the surroundings of a symbol with all their pixels, if the reduced image has too few for a module."""
    if seen.greys is seen.whole or _pixels(found) >= ENOUGH_PIXELS:
        return seen, found
    scale = seen.whole.width / seen.greys.width
    left, top, right, low = (round(scale * place) for place in _surroundings(seen.greys, found))
    whole = seen.whole.crop((left, top, min(seen.whole.width, right), min(seen.whole.height, low)))
    greys = _reduced(whole)
    (x, y), smaller = found.middle, greys.width / whole.width
    middle = (x * scale - left) * smaller, (y * scale - top) * smaller
    closest = min(at_sight(greys), key=lambda one: dist(one.middle, middle), default=found)
    is_same = closest is not found and closest.content == found.content
    return (seen._replace(greys=greys, whole=whole), closest) if is_same else (seen, found)


def no_symbol(seen: Picture) -> NoSymbol:
    """Return the error for an image in which no symbol was read."""
    if uncorrected(seen.greys):
        advice = "come closer, hold still, and avoid glare and shadows; if that does not help, the print is damaged"
        return NoSymbol(f"a QR Code was found{seen.name}, but no reader can read it: {advice}")
    if kinds := other_kinds(seen.greys):
        return NoSymbol(f"no QR Code was found{seen.name}, but a code of another kind: {', '.join(kinds)}")
    return NoSymbol(f"no QR Code was found{seen.name}: either there is none, or no reader sees it")


def match_of(greys: Image.Image, found: Located) -> Match | None:
    """Straighten a symbol and return its exact modules; None if the modules in the image do not tell them."""
    side, end = side_of(found.version), monotonic() + MATCH_SECONDS
    for is_mirrored in (False, True):
        corners = found.transposed if is_mirrored else found.corners
        sampled = _straighten(greys, corners, side, is_mirrored=is_mirrored)
        read = found.flags if found.modules else _dark(sampled)
        turned = read.T if is_mirrored and found.modules else read
        symbol = rebuilt(turned, found.version, found.ec, found.mask)
        if symbol := symbol or symbol_of_find(greys, found._replace(corners=corners), turned, end):
            return Match(symbol, corners, sampled)
    return None


def _dark(sampled: Sampled) -> np.ndarray:
    """Return the modules that are darker than the middle of their surroundings and of the whole symbol."""
    luma = sampled.modules[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return luma < (blurred(luma, 3.0) + median(luma.ravel())) / 2


def _photo(seen: Picture, match: Match) -> PhotoGrade | None:
    """Grade a print; None if the image is a drawing."""
    corners = seen.in_whole(match.corners)
    is_flat = has_flat_colors(seen.whole, corners)
    is_data = module_codewords(match.symbol.version) >= 0
    is_right = (_dark(match.sampled) == true_modules(match.symbol))[is_data]
    if is_flat and is_right.all() and not is_tilted(corners):
        return None
    from qrkit.scanning.photographs.photo_measures import grade_photo, meant_of

    photo = grade_photo(seen.whole, corners, meant_of(match.symbol))
    damaged = photo.budget.wrong | photo.logo.wrong if photo.logo else photo.budget.wrong
    misplaced = min(is_right.sum(), (~is_right).sum())  # all but a few are wrong if the symbol is light on dark
    is_straight = bool(misplaced <= 2 * damaged[is_data].sum())
    if is_drawing(photo, seen.whole, corners, is_flat=is_flat, is_straight=is_straight):
        return None
    return replace(photo, is_mirrored=match.sampled.is_mirrored)


def _is_read(greys: Image.Image, found: Located) -> bool:
    """Return True if a reader of phones reads a symbol at first sight, without the second attempts made here."""
    from qrkit.scanning.readers import of_phones

    seen = np.asarray(greys.crop(_surroundings(greys, found)))
    return any(engine.read(seen) for engine in of_phones())


def _check_drawing(
    greys: Image.Image,
    found: Located,
    match: Match | None,
    level: Level,
    engines: Sequence[Engine] | None,
    *,
    audience: Audience,
) -> ScanReport:
    """Measure a drawing, and let readers read it."""
    budget, structure, issues = None, None, tuple[Issue, ...]()
    panel, symbol = None, match.symbol if match else None
    if level != "static":
        from qrkit.scanning.panel import run_panel

        seen = np.asarray(greys.crop(_surroundings(greys, found)))
        panel = run_panel(
            seen, _pixels(found), found.content, level=level, audience=audience, engines=engines, symbol=symbol
        )
    if match:
        measured = budget_of(match.sampled, match.symbol)
        budget = measured.as_read() if panel and panel.rate else measured
        structure = structure_of(match.sampled, match.symbol, budget.wrong)
        issues = issues_of(None, budget, structure, audience, level, grain=1 / _pixels(found))
    if panel and panel.phones in ("ok", "robust") and not _is_read(greys, found):
        message = "phones read it only if it is blurred or far away: no reader can read the picture as it is"
        issues = (*issues, Issue("not-read", "warning", "picture", 0, 1, message))
    return report_of(
        found.content,
        level,
        issues,
        audience=audience,
        budget=budget,
        structure=structure,
        panel=panel,
        grade=graded(match.sampled, match.symbol) if match and level in ("standard", "full") else None,
    )


def _pixels(found: Located) -> float:
    """Return the pixels per module, measured between the two top corners."""
    (left, top), (right, low), *_ = found.corners
    return hypot(right - left, low - top) / side_of(found.version)


def _surroundings(greys: Image.Image, found: Located) -> tuple[int, int, int, int]:
    """Return the crop box to pass to readers: areas far from the symbol cost time and skew the threshold."""
    reach = SEEN_AROUND * _pixels(found)
    across, down = zip(*found.corners, strict=True)
    left, top = (max(0, floor(min(places) - reach)) for places in (across, down))
    right, low = (ceil(max(places) + reach) for places in (across, down))
    return left, top, min(greys.width, right), min(greys.height, low)


def _straighten(greys: Image.Image, corners: Corners, side: int, *, is_mirrored: bool) -> Sampled:
    """Return the symbol and its surroundings without perspective."""
    # Without a reduction, a hairline between modules would be met by chance, and count as a whole pixel.
    factor = max(1, int(dist(corners[0], corners[1]) / side / PIXELS))
    greys = greys.reduce(factor)
    corners = [(x / factor, y / factor) for x, y in corners]
    size = (side + 2 * MARGIN) * PIXELS
    near, far = MARGIN * PIXELS, (MARGIN + side) * PIXELS
    places = ((near, near), (far, near), (far, far), (near, far))
    seen = Image.merge("LA", (greys, Image.new("L", greys.size, 255)))
    straight = seen.transform(
        (size, size),
        Image.Transform.PERSPECTIVE,
        perspective(places, corners).ravel()[:8].tolist(),
        Image.Resampling.BILINEAR,
    )
    luma, alpha = np.moveaxis(np.asarray(straight, dtype=np.float32) / 255, 2, 0)
    return Sampled(side, PIXELS, luma, (alpha > 0.5).astype(np.float32), alpha > 0.5, is_mirrored)
