"""Extracts the main text of a page.

resiliparse separates the main content from navigation. This works well for articles, but it loses
most of some pages with lists, tables and definitions. Of these pages, all visible text outside the
navigation is the main text.
"""

from __future__ import annotations

from typing import Any

from lxml import etree
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from evocrawl.extraction.consent_banners import empty_banners
from evocrawl.extraction.footers import empty_footers
from evocrawl.extraction.strings import collapsed
from evocrawl.extraction.visibility import INLINE

_BANNER_WORDS = (b"cookie", b"consent", b"gdpr")
_NAVIGATION = [
    *("nav", "footer", "select", "button"),
    *(f"[role='{role}']" for role in ("navigation", "contentinfo", "search")),
]
_PLAIN: dict[str, Any] = {
    "alt_texts": False,
    "preserve_formatting": False,
    "list_bullets": False,
}
_LOST = 2
"""If all visible text has more than this many times the characters of the main content, it counts.

Characters, not words: some scripts have no spaces."""

_A_FOOTER = 2_000
"""A text with at least so many characters is not compared with the footer."""

_string: Any = etree.XPath("string()", smart_strings=False)


def main_text(root: Any) -> str:
    """Return the main text of a parsed page, white space collapsed; "" only if it shows no text.

    Call it after hidden elements were removed. Inline elements are removed from the tree, since
    they do not matter here: without them, resiliparse takes half the time and does not drop single
    words between two of them. It parses the page again from the tree: then no tag is misnested,
    and its rules for misnested tags, which take quadratic time, are not used.
    """
    etree.strip_elements(root, "head", with_tail=False)
    etree.strip_tags(root, *INLINE)
    for element in root.iter("figure", "figcaption"):
        element.tag = "div"  # resiliparse drops figures with the tables in them
    html = etree.tostring(root, encoding="utf-8", method="html")
    lower = html.lower()
    if any(word in lower for word in _BANNER_WORDS):
        empty_banners(root)
        html = etree.tostring(root, encoding="utf-8", method="html")
    tree = HTMLTree.parse_from_bytes(html, "utf-8")
    if tree.body is None:
        return ""
    text = _content(root, tree)
    if len(text) < _A_FOOTER and empty_footers(root, text):
        html = etree.tostring(root, encoding="utf-8", method="html")
        rest = HTMLTree.parse_from_bytes(html, "utf-8")
        text = (_content(root, rest) or _extract(rest)) if rest.body is not None else ""
    return text or _extract(tree, form_fields=True)


def _content(root: Any, tree: HTMLTree) -> str:
    """Return the main content, or all text outside the navigation if most of it is lost."""
    text = _extract(tree, main_content=True)
    if len(text) * _LOST < _chars_outside_links(root):
        whole = _extract(tree, skip_elements=_NAVIGATION)
        if len(text) * _LOST < len(whole):
            text = whole
    return text


def _extract(tree: HTMLTree, **asked: Any) -> str:
    text = str(extract_plain_text(tree, **asked, **_PLAIN))
    return collapsed(text.replace("¶", " "))


def _chars_outside_links(root: Any) -> int:
    in_links = " ".join(map(_string, root.iter("a")))
    return len(collapsed(_string(root))) - len(collapsed(in_links))
