"""Checks the links of a built site: `python docs/check_site.py build/docs`.

Every link to a page, picture, script or style of the site has to lead to a file of the site, and
every fragment to an element with that id. Links to other sites are not followed.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html


@cache
def _parsed(page: Path) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the ids and the links of a page."""
    tree = html.parse(str(page), html.HTMLParser(encoding="utf-8"))
    links = (*tree.xpath("//@href"), *tree.xpath("//@src"))
    return frozenset((*tree.xpath("//@id"), *tree.xpath("//a/@name"))), tuple(map(str, links))


def broken_links(site: Path) -> list[str]:
    """Return each link of a page of the site that leads nowhere, as "page: link", sorted."""
    site = site.resolve()
    broken = set()
    for page in site.rglob("*.html"):
        for link in _parsed(page)[1]:
            if not _leads_somewhere(link, page, site):
                broken.add(f"{page.relative_to(site)}: {link}")
    return sorted(broken)


def _leads_somewhere(link: str, page: Path, site: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file() or not target.is_relative_to(site):
        return False
    return not parts.fragment or (
        target.suffix == ".html" and unquote(parts.fragment) in _parsed(target)[0]
    )


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    print("\n".join(found), file=sys.stderr)
    sys.exit(1 if found else 0)
