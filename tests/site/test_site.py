"""The site of the documentation builds without a warning, and none of its links is broken."""

from __future__ import annotations

import json
import os
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import processes
import pytest

pytestmark = pytest.mark.takes_s(60)

DOCS = Path(__file__).parents[2] / "docs"
CHECK = runpy.run_path(str(DOCS / "check_site.py"))


@cache
def conf() -> dict[str, Any]:
    """Return the names of the site's configuration."""
    return runpy.run_path(str(DOCS / "conf.py"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, which is built once."""
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    build = ["-W", "--keep-going", "-q", "-E", "-b", "html", "-d", str(folder / "trees")]
    done = processes.run(
        "sphinx", [*build, str(DOCS), str(folder / "html")], cwd=folder, environment=os.environ
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_page_is_in_the_site_and_no_link_within_it_is_broken(site: Path) -> None:
    """A warning of the builder has failed the fixture; this reads what was built."""
    pages = {page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md")}
    assert pages <= {page.relative_to(site) for page in site.rglob("*.html")}
    assert CHECK["broken_links"](site) == []


def test_the_search_needs_no_network(site: Path) -> None:
    """The index is a script of the site, and no page loads a script or style from elsewhere."""
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index.removeprefix("Search.setIndex(").rstrip(")"))
    shown = [found["docnames"][number] for number in found["terms"]["bootstrap"]]
    assert "explanation/measures" in shown
    page = (site / "search.html").read_text(encoding="utf-8")
    assert 'src="http' not in page
    assert 'rel="stylesheet" type="text/css" href="http' not in page


def test_the_api_pages_show_the_docstrings_of_the_public_names(site: Path) -> None:
    """Also the fields of a protocol, and no arguments of one, since it cannot be called."""
    page = (site / "reference" / "api-parts.html").read_text(encoding="utf-8")
    assert 'id="evocrawl.relevance.base.Relevance.page"' in page
    assert "Return the relevance of a page with this content." in page
    assert "kwargs" not in page


def test_the_index_makes_the_contents_of_the_site() -> None:
    """One list serves readers of the file and of the site."""
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    text = conf()["with_contents"]("# All\n\n## Guides\n\n- [One `x`](guide/one.md): first.\n")
    assert text == (
        "# All\n\n## Guides\n\n- [One `x`](guide/one.md): first.\n\n"
        "```{toctree}\n:hidden:\n:caption: Guides\n\nOne x <guide/one>\n```\n"
    )


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[how](../../CONTRIBUTING.md#the-layout)", "[how](/project/contributing.md#the-layout)"),
        ("[reefs](../../examples/reefs)", "[reefs](/guide/examples.md)"),
        ("[README](../../README.md)", "`README.md`"),
        ("[the start](../../README.md)", "the start (`README.md`)"),
        ("[evo](../explanation/evo.md)", "[evo](../explanation/evo.md)"),
        ("[gone](../../gone.md)", "[gone](../../gone.md)"),
    ],
)
def test_a_link_to_a_file_outside_the_docs_becomes_one_of_the_site(link: str, shown: str) -> None:
    """A page that includes the file, or else the file's name; a broken link stays one."""
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    assert conf()["in_the_site"](f"See {link}.", DOCS / "guide" / "x.md") == f"See {shown}."


def test_a_broken_link_of_a_site_is_found(tmp_path: Path) -> None:
    """One to a missing file, to a missing id and out of the site; not one to another site."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.html").write_text('<p id="here">', encoding="utf-8")
    (tmp_path / "one.html").write_text(
        '<a href="b/two.html#here"><a href="b/two.html#gone"><a href="three.html">'
        '<img src="../x.png"><a href="https://example.org/y"><a href="#top"><i id="top">',
        encoding="utf-8",
    )
    assert CHECK["broken_links"](tmp_path) == [
        "one.html: ../x.png",
        "one.html: b/two.html#gone",
        "one.html: three.html",
    ]
