"""Finds pages whose HTML has nothing to read before a browser has run its scripts.

The patterns look for one character or tag at a time, so they take time linear in the page.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_BLOCKS = re.compile(r"<(script|style|template|svg|!--)(?![\w-])", re.I)
_NO_MARKUP = re.compile(r"<[^<>]*>|\s+|&[a-z]+;", re.I)
_ASKS = re.compile(r"java\s?script", re.I)
_PROGRAM = re.compile(
    r"""<script(?![^<>]*\btype\s*=\s*["']?(?:application/(?:ld\+)?json|text/template))""", re.I
)
_string: Any = etree.XPath("string()", smart_strings=False)
_PARSED_CHARS = 100_000
_FEW_CHARS = 200
"""Less text than this is no page to read: a heading, "Loading …", a notice about cookies."""
_SOME_CHARS = 1_000
"""Header, menu and footer of a page whose content comes by a script."""
_FEW_LINKS = 4
_PLACEHOLDER_CHARS = 40
_ROOTS = frozenset(
    (
        "root", "app", "__next", "__nuxt", "___gatsby", "app-root", "approot", "app-container",
        "appcontainer", "app-mount", "mount", "react-root", "reactroot", "react-app", "vue-app",
        "vueapp", "svelte", "svelte-app", "ember-app", "application", "main", "main-content",
        "content", "page-content", "container", "wrapper",
    )
)  # fmt: skip
"""Ids of elements into which a script puts the page."""
_NOT_ROOTS = frozenset(
    (
        "a", "body", "br", "footer", "header", "hr", "img", "input", "link", "meta", "nav",
        "noscript", "span",
    )
)  # fmt: skip


def is_app_shell(html: str) -> bool:
    """Return True if a page has scripts and nothing to read without them. O(characters).

    A page with little text and few links counts as one. So does a page with a short text around the
    empty root element of an app, or with a ``noscript`` that asks for JavaScript.

    >>> is_app_shell("<div id=root></div><script src=/app.js></script>")
    True
    >>> is_app_shell("<p>Loading</p>")
    False
    """
    if not _PROGRAM.search(html):
        return False
    markup = _without_blocks(html)
    # Most pages end here, without being parsed.
    if len(_NO_MARKUP.sub("", markup)) > 3 * _SOME_CHARS or len(markup) > _PARSED_CHARS:
        return False
    try:
        tree = etree.fromstring(markup, etree.HTMLParser(recover=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        tree = None
    if tree is None:
        return True
    body = tree.find("body")
    if body is None:
        return tree.find("frameset") is None
    asks = any(_ASKS.search(_text_of(each)) for each in body.iter("noscript"))
    for each in list(body.iter("noscript")):
        each.clear(keep_tail=True)
    chars = len(re.sub(r"\s+", "", _text_of(body)))
    if chars < _FEW_CHARS and len(_targets(body)) < _FEW_LINKS:
        return True
    return chars < _SOME_CHARS and (asks or any(map(_is_empty_root, body.iter("*"))))


def _without_blocks(html: str) -> str:
    """Return the markup without comments, scripts, styles, templates and drawings."""
    kept, at = [], 0
    lower = html.lower()
    if len(lower) != len(html):  # some letter is longer in lower case
        html = lower
    while (block := _BLOCKS.search(html, at)) is not None:
        kept.append(html[at : block.start()])
        name = block[1].lower()
        end = "-->" if name == "!--" else f"</{name}"
        found = lower.find(end, block.end())
        if found < 0:
            return "".join(kept)
        at = found + len(end) if name == "!--" else lower.find(">", found) + 1
        if at == 0:
            return "".join(kept)
    return "".join((*kept, html[at:]))


def _text_of(element: etree._Element) -> str:
    return str(_string(element))


def _targets(body: etree._Element) -> set[str]:
    hrefs = (str(each.get("href") or "").partition("#")[0].strip() for each in body.iter("a"))
    return {
        each for each in hrefs if each and not each.lower().startswith(("javascript:", "mailto:"))
    }


def _is_empty_root(element: etree._Element) -> bool:
    """Return True for an element that a script fills: an app's root, or a custom element."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _NOT_ROOTS:
        return False
    parent = element.getparent()
    is_on_top = parent is not None and parent.tag == "body"
    name = str(element.get("id") or "").lower()
    is_root = name in _ROOTS or tag == "main" or ("-" in tag and is_on_top)
    is_root = is_root or any(
        mark in element.attrib for mark in ("ng-app", "data-reactroot", "v-cloak")
    )
    return is_root and len(_text_of(element).strip()) < _PLACEHOLDER_CHARS and not _targets(element)
