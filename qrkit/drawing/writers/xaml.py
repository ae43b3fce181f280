"""Writes XAML for WPF: a `Canvas` of paths in a `Viewbox`. Colors are #AARRGGBB, so any alpha is kept.

XAML cannot embed bitmaps, so images are reduced to few colors and written as one path per color.
"""

from __future__ import annotations

from qrkit.design.bounds import PIXELS_PER_INCH
from qrkit.design.color import Color
from qrkit.design.outline import Outline
from qrkit.drawing.scene import Gradient, Linear, Matrix, Rectangle, Scene, Shape, Squares, Stamps
from qrkit.drawing.svg.svg_elements import path_data
from qrkit.drawing.svg.svg_text import number, quoted
from qrkit.drawing.writers.background import is_seen
from qrkit.drawing.writers.flattening import Painted, Placed, box_of, is_painted, part_of, reduced
from qrkit.drawing.writers.postscript import matrix_numbers
from qrkit.drawing.writers.svg import readable

NAMESPACE = "http://schemas.microsoft.com/winfx/2006/xaml/presentation"
MOST_PIXELS = 250_000
"""Pixels of one image."""
ALIASED = ' RenderOptions.EdgeMode="Aliased"'
"""Prevents hairlines between neighboring squares."""


def write(scene: Scene) -> bytes:
    """Write a XAML document."""
    size = ""
    if scene.dots_per_inch:
        scale = PIXELS_PER_INCH / scene.dots_per_inch
        size = f' Width="{number(scene.width * scale)}" Height="{number(scene.height * scale)}"'
    lines = [
        f'<Viewbox xmlns="{NAMESPACE}" Stretch="Uniform"{size}>',
        f'<Canvas Width="{number(scene.width)}" Height="{number(scene.height)}" '
        f"AutomationProperties.Name={quoted(readable(scene.title))}>",
        *(line for placed in scene.flat() for line in _element(scene, placed)),
        "</Canvas>",
        "</Viewbox>\n",
    ]
    return "\n".join(lines).encode()


def _element(scene: Scene, placed: Placed) -> list[str]:
    """Write an item as lines."""
    matrix, item = placed
    if not is_painted(item):
        return _pixels(scene, placed)
    return _transform(matrix, _paint(item)) if is_seen(item.paint) else []


def _paint(item: Painted) -> list[str]:
    match item:
        case Rectangle(x, y, width, height):
            return [_path(f"M{number(x)},{number(y)}h{number(width)}v{number(height)}h-{number(width)}z", item)]
        case Squares(x, y, size):
            bars = [
                f"M{number(x + size * column)},{number(y + size * row)}"
                f"h{number(size * count)}v{number(size)}h-{number(size * count)}z"
                for column, row, count in item.runs()
            ]
            # F1 selects the non-zero rule; WPF's default is even-odd.
            return [_path(f"F1{''.join(bars)}", item, ALIASED)]
        case Shape(outline):
            return [_path(f"F1{path_data(outline)}", item)]
        case Stamps(Outline() as outline, paint=Color() as color, union=False):
            return _stamps(outline, color, item)
        case Stamps():
            return [_path(f"F1{path_data(item.outline())}", item)]


def _path(data: str, item: Painted, more: str = "") -> str:
    if isinstance(item.paint, Color):
        return f'<Path{more} Fill="{item.paint.argb}" Data="{data}"/>'
    return f'<Path{more} Data="{data}"><Path.Fill>{_brush(item.paint)}</Path.Fill></Path>'


def _brush(paint: Gradient) -> str:
    if isinstance(paint, Linear):
        name = "LinearGradientBrush"
        where = f'StartPoint="{_point(paint.start)}" EndPoint="{_point(paint.stop)}"'
    else:
        name = "RadialGradientBrush"
        radius = number(paint.radius)
        where = (
            f'Center="{_point(paint.centre)}" RadiusX="{radius}" RadiusY="{radius}" '
            f'GradientOrigin="{_point(paint.focus)}"'
        )
    stops = "".join(f'<GradientStop Offset="{offset:.6g}" Color="{color.argb}"/>' for offset, color in paint.stops)
    return f'<{name} MappingMode="Absolute" {where}>{stops}</{name}>'


def _point(point: tuple[float, float]) -> str:
    return f"{number(point[0])},{number(point[1])}"


def _stamps(outline: Outline, color: Color, stamps: Stamps) -> list[str]:
    """Write a style that gives all paths of a canvas one outline, and the position of each path."""
    setters = f'<Setter Property="Fill" Value="{color.argb}"/><Setter Property="Data" Value="F1{path_data(outline)}"/>'
    return [
        f'<Canvas><Canvas.Resources><Style TargetType="Path">{setters}</Style></Canvas.Resources>',
        *(f'<Path Canvas.Left="{number(x)}" Canvas.Top="{number(y)}"/>' for x, y in stamps.places),
        "</Canvas>",
    ]


def _pixels(scene: Scene, placed: Placed) -> list[str]:
    """Write an image as runs of pixels of the scene, or of larger pixels if there would be too many."""
    visible = part_of(scene, [placed], box_of(placed), 1)
    if visible is None:
        return []
    part, (left, top, width, height) = visible
    picture = reduced(part, MOST_PIXELS)
    runs: dict[Color, list[str]] = {}
    for row, numbers in enumerate(picture.rows):
        start = 0
        while start < len(numbers):
            rest = numbers[start:].lstrip(numbers[start : start + 1])
            end = len(numbers) - len(rest)
            color = picture.colors[numbers[start]]
            if color.alpha:
                runs.setdefault(color, []).append(f"M{start},{row}h{end - start}v1h-{end - start}z")
            start = end
    paths = [f'<Path{ALIASED} Fill="{color.argb}" Data="F1{"".join(bars)}"/>' for color, bars in runs.items()]
    across, down = picture.pixel * width / part.width, picture.pixel * height / part.height
    return _transform(Matrix(across, down, left, top), paths)


def _transform(matrix: Matrix, lines: list[str]) -> list[str]:
    if matrix == Matrix():
        return lines
    numbers = matrix_numbers(matrix).replace(" ", ",")
    transform = f'<Canvas.RenderTransform><MatrixTransform Matrix="{numbers}"/></Canvas.RenderTransform>'
    return [f"<Canvas>{transform}", *lines, "</Canvas>"]
