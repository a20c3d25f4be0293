"""The main text of a page.

resiliparse separates the main content from navigation. It does so well for articles, but loses most
of some pages of lists, tables and definitions: of these, all visible text outside navigation is
taken.
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
"""The main content is not trusted if the page has more than this many times its characters.

Not words: some scripts have no spaces."""

_A_FOOTER = 2_000
"""Characters from which a text is not looked for in the footer."""

_string: Any = etree.XPath("string()", smart_strings=False)


def main_text(root: Any) -> str:
    """Return the main text of a parsed page, white space collapsed; "" only if it shows no text.

    What is hidden is no longer in it. The tree loses what says nothing about content. Inline
    elements are such: without them resiliparse takes half the time and does not drop single words
    between two of them. It parses the page anew from the tree, so that the rules for misnested
    tags, whose time is quadratic in the number of such tags, find nothing to do.
    """
    etree.strip_elements(root, "head", with_tail=False)
    etree.strip_tags(root, *INLINE)
    for element in root.iter("figure", "figcaption"):
        element.tag = "div"  # resiliparse drops pictures with their captions, tables and programs
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
    """The main content, or what is outside of the navigation where most of that is lost."""
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
