"""How Sphinx builds the site; build.py writes what it reads."""

from __future__ import annotations

import os
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.addnodes import pending_xref

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

project = "qrkit"
author = "the qrkit developers"
project_copyright = "2026, the qrkit developers"
release = installed("qrkit-studio")

extensions = ["myst_nb", "sphinx_design"]
exclude_patterns = ["_build"]

# The notebooks are committed as they ran, and a test runs them again.
nb_execution_mode = "off"
# The site asks no other host: a widget that needs a kernel shows its picture.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
suppress_warnings = ["mystnb.unknown_mime_type"]
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = "qrkit"
html_static_path = ["_static"]
html_css_files = ["qrkit.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = False
html_show_sourcelink = False
html_theme_options: dict[str, object] = {
    "github_url": "https://github.com/qrkit/qrkit",
    "navbar_align": "left",
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# The workflow that publishes the site builds two versions beside each other, and says which one this is.
if shown_as := os.environ.get("SITE_VERSION"):
    html_theme_options["switcher"] = {"json_url": "/qrkit/versions.json", "version_match": shown_as}
    html_theme_options |= {
        "check_switcher": False,
        "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    }
pygments_style = "default"
python_maximum_signature_line_length = 100


def setup(app: Sphinx) -> None:
    """Let types of others be text: Sphinx would take `date` in a signature for a field of that name."""
    app.connect("doctree-read", without_links_of_plain_words)


def without_links_of_plain_words(_: Sphinx, page: document) -> None:
    """Make text of the links of words in small letters, which no class of ours has as its name."""
    for link in list(page.findall(pending_xref)):
        if link.get("reftype") == "class" and link.get("reftarget", "").islower():
            link.replace_self(link.children)
