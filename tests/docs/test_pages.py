"""The pages of the documentation lead to files, headings and modules that exist."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
CODE_PATH = re.compile(r"(?<![\w./*…-])((?:[\w-]+/)+[\w-]+\.py\b|evocrawl/(?:\w+/)+(?!\w))")
DOTTED = re.compile(r"`(evocrawl(?:\.\w+)+)`")
RUN_MODULE = re.compile(r"python -m (\w+(?:\.\w+)*)")

each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def anchors(page: Path) -> set[str]:
    """Return the names by which GitHub's links lead to the headings of a page."""
    titles = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path, text: str) -> list[str]:
    """Return the relative links of a page with this text that lead to no file or no heading."""
    broken = []
    for target in LINK.findall(FENCE.sub("", text)):
        parts = urlsplit(target)
        if parts.scheme:
            continue
        path = (page.parent / parts.path).resolve() if parts.path else page
        if not path.exists() or (parts.fragment and parts.fragment not in anchors(path)):
            broken.append(target)
    return broken


@each_page
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """Also a link within the page itself."""
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


def test_a_link_to_a_missing_file_or_heading_is_found() -> None:
    """Links within code and links to the web are not checked."""
    text = """[a](missing.md) [d](#nothing) [c](explanation/evo.md#features)
[b](explanation/evo.md#no-such-heading)
[e](https://example.org/x.md)
```
[f](missing.md)
```
"""
    assert broken_links(DOCS / "index.md", text) == [
        "missing.md", "#nothing", "explanation/evo.md#no-such-heading",
    ]  # fmt: skip


def test_the_index_lists_every_page_once() -> None:
    """Each page of docs/, those in folders too."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted([*LINK.findall(index), "index.md"]) == sorted(pages)


@each_page
def test_every_python_file_and_package_that_a_page_names_exists(page: Path) -> None:
    """Named from the root of the repository; in the page of faults also from tests/."""
    bases = [ROOT, ROOT / "tests"] if page.name == "faults.md" else [ROOT]
    named = CODE_PATH.findall(page.read_text(encoding="utf-8"))
    assert [name for name in named if not any((base / name).exists() for base in bases)] == []


@each_page
def test_every_module_that_a_page_names_can_be_imported(page: Path) -> None:
    """Dotted names of evocrawl, and modules that a command runs."""
    text = page.read_text(encoding="utf-8")
    for name in DOTTED.findall(text):
        resolve_name(name)
    assert [name for name in RUN_MODULE.findall(text) if find_spec(name) is None] == []


def test_the_readme_is_short() -> None:
    """Details are in docs/."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110
