"""The notebooks as pages beside the reference: as they ran, with links among each other, and without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter

__all__ = ["overview", "pages"]

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
LINK = re.compile(r"\]\((\w+)\.ipynb(#[^)]*)?\)")

SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
"""nbconvert loads scripts from other hosts, for formulas, diagrams and live widgets; these notebooks have none."""


def overview() -> str:
    """The overview of the notebooks, as Markdown that stands beside the folder of their pages."""
    text = (NOTEBOOKS / "README.md").read_text(encoding="utf-8")
    return LINK.sub(r"](notebooks/\1.html\2)", text)


def pages() -> Iterator[tuple[str, str]]:
    """Name and HTML of each notebook."""
    exporter = HTMLExporter(template_name="lab")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = LINK.sub(r"](\1.html\2)", cell.source).replace("](README.md", "](../guide.html")
        html, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": path.stem}})
        head, end, body = html.partition("</head>")
        yield path.stem, SCRIPT.sub("", head) + end + body
