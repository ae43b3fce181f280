"""Build the site into a folder: python .ci/site/build.py build/site.

It has the notebooks as they ran, the how-to pages, and the reference, with a search, and asks no other host. A warning
of Sphinx is an error.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import reference
from sphinx.cmd.build import build_main

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOTEBOOKS = ROOT / "notebooks"
SOURCE = "https://github.com/qrkit/qrkit/blob/main"

LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s]+)(?=\))|(?<=src=\")(?!\w+:)([^\"]+)(?=\")")
"""Where a link of Markdown or a picture of HTML leads, unless that is another host."""


def main(folder: Path) -> int:
    """Write the sources of all pages, then the pages; return the exit status of Sphinx."""
    with TemporaryDirectory() as written:
        write_sources(Path(written))
        return build_main(["-q", "-W", "--keep-going", "-b", "html", "-c", str(HERE), written, str(folder)])


def write_sources(folder: Path) -> None:
    """Write what Sphinx reads."""
    shutil.copytree(HERE / "_static", folder / "_static")
    shutil.copytree(ROOT / ".github" / "pictures", folder / "pictures")
    shutil.copy(HERE / "index.md", folder / "index.md")
    for path in sorted((*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("**/*.md"))):
        place = folder / "guide" / path.relative_to(NOTEBOOKS)
        place = place.with_name("index.md") if place.name == "README.md" else place
        place.parent.mkdir(parents=True, exist_ok=True)
        text = with_links(path)
        if place.name == "index.md":
            text += f"\n```{{toctree}}\n:hidden:\n\n{chr(10).join(pages_beside(path, text))}\n```\n"
        place.write_text(text, encoding="utf-8")
    for name, text in reference.pages():
        place = folder / f"{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")


def with_links(path: Path) -> str:
    """Return a page or a notebook with its links as they are in the site."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return LINK.sub(lambda found: in_site(found[0], path), text)
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = LINK.sub(lambda found: in_site(found[0], path), "".join(cell["source"]))
    return json.dumps(notebook)


def pages_beside(index: Path, text: str) -> list[str]:
    """Return the pages of the folder of an index, in the order in which its text leads to them."""
    beside = {path.name for path in index.parent.iterdir()} - {index.name, "how-to"}
    found = dict.fromkeys(Path(link).name for link in re.findall(r"\]\(([^)#]+)", text))
    return [Path(name).stem for name in found if name in beside]


def in_site(link: str, path: Path) -> str:
    """Return where a link of a file leads: within the site, or to the repository."""
    address, mark, place = link.partition("#")
    target = (path.parent / address).resolve()
    inside = target.relative_to(ROOT)
    up = "../" * (len(path.relative_to(NOTEBOOKS).parts))
    if inside.parts[0] == "notebooks" and target.suffix in (".ipynb", ".md"):
        name = "index.md" if target.name == "README.md" else target.name
        return f"{up}guide/{target.relative_to(NOTEBOOKS).with_name(name).as_posix()}{mark}{place}"
    if inside.parts[:2] == (".github", "pictures"):
        return f"{up}pictures/{target.name}"
    return f"{SOURCE}/{inside.as_posix()}{mark}{place}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
