"""Sphinx builds the site of the documentation from this folder: `make docs`."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx

from evocrawl import __version__

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGES_OF_FILES = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "examples": "guide/examples.md",
}
"""Files and folders outside docs/, and the pages of the site that include them."""
LISTED = re.compile(r"^- \[([^\[\]]+)\]\(([^()\s]+)\.md\)", re.M)
LINK = re.compile(r"\[([^\[\]]*)\]\(((?:\.\./)+[^()\s]*)\)")

project = "evocrawl"
author = "evocrawl maintainers"
copyright = "evocrawl maintainers; BSD-3-Clause"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]

myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the pages of settings begin sections at the third level

smartquotes = False  # "" in a docstring is the empty string
default_role = "code"  # a docstring writes `name` as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_use_type_comments = False
python_use_unqualified_type_names = True

copybutton_exclude = ".linenos, .gp, .go"
html_theme = "furo"
html_title = f"evocrawl {version}"
html_static_path = ["_static"]
html_css_files = ["evocrawl.css"]
html_show_sphinx = False
html_show_sourcelink = False


def in_the_site(text: str, page: Path) -> str:
    """Return a page's text, with its links to files outside docs/ changed for the site.

    A link becomes one to the page that includes the file, or the name of the file if none does.
    """

    def changed(link: re.Match[str]) -> str:
        words, target = link.groups()
        parts = urlsplit(target)
        path = (page.parent / parts.path).resolve()
        if path.is_relative_to(DOCS) or not path.exists():
            return link[0]
        name = path.relative_to(ROOT)
        for known, shown in PAGES_OF_FILES.items():
            if name.is_relative_to(known):
                fragment = f"#{parts.fragment}" if parts.fragment else ""
                return f"[{words}](/{shown}{fragment})"
        return f"`{name}`" if words.strip("`") in str(name) else f"{words} (`{name}`)"

    return LINK.sub(changed, text)


def with_contents(index: str) -> str:
    """Return the index with a hidden table of contents of the listed pages after each section."""
    head, *sections = index.split("\n## ")
    shown = [head]
    for section in sections:
        caption = section.split("\n", 1)[0]
        pages = "\n".join(
            f"{name.replace('`', '')} <{page}>" for name, page in LISTED.findall(section)
        )
        shown.append(
            f"{section.rstrip()}\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n"
        )
    return "\n## ".join(shown)


def _signature(
    _app: Sphinx,
    kind: str,
    _name: str,
    thing: object,
    _options: object,
    _arguments: str,
    returns: str,
) -> tuple[str, str] | None:
    """Leave out the arguments of a protocol, since it cannot be called."""
    return ("", returns) if kind == "class" and getattr(thing, "_is_protocol", False) else None


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    text = in_the_site(source[0], Path(app.env.doc2path(docname)))
    source[0] = with_contents(text) if docname == "index" else text


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to each page that Sphinx reads."""
    gc.set_threshold(50_000, 20, 100)  # the trees of the pages stay: visits to them took an eighth
    app.connect("source-read", _read)
    app.connect("autodoc-process-signature", _signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
