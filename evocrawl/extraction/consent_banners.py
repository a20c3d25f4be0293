"""Removes consent banners, which it recognises by their names and roles."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from lxml import etree

_BOXES = frozenset(
    ("aside", "dialog", "div", "footer", "form", "header", "nav", "p", "section", "table", "ul")
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ABOUT = re.compile("cookie|consent|gdpr", re.I)
_KIND = re.compile(
    "banner|bar|notice|pop-?up|modal|overlay|dialog|layer|wall|warning|message|msg|box|alert"
    "|disclaimer|manager|sdk|law|hint|toast",
    re.I,
)
_MANAGER = re.compile(
    "onetrust|optanon|cookiebot|didomi|usercentrics|qc-cmp|sp_message|truste|trustarc|osano|klaro"
    "|iubenda|cmplz|borlabs|cc-window|cc-banner|evidon|cmpbox|termly|axeptio|tarteaucitron|quantcast",
    re.I,
)
"""Names of the boxes of widespread consent programs."""
_DIALOGS = ("dialog", "alertdialog")
_BEGINNING = 300
_CANDIDATES = 50
_MOST = 5
"""An element with more than this many times the characters of the rest is not a banner."""

_names: Any = [etree.XPath(f"//@{name}") for name in ("id", "class", "aria-label")]
_roles: Any = etree.XPath("//@role")
_string: Any = etree.XPath("string()", smart_strings=False)


def empty_banners(root: Any) -> None:
    """Empty the elements that ask for consent.

    A page about cookies has sections with such names, and many pages store the reader's consent in
    the class of a wrapper. So a banner is a box that does not contain the heading of the page, and

    - has the name of a banner or of a known consent program, or
    - is a dialog whose text begins with cookies, or
    - has no heading and is outside the main content.
    """
    rest = _chars(root)
    for element in islice(_candidates(root), _CANDIDATES):
        chars = _chars(element)
        if _is_banner(element) and chars <= _MOST * (rest - chars):
            element.clear(keep_tail=True)
            rest -= chars


def _candidates(root: Any) -> dict[Any, None]:
    found = [
        value.getparent()
        for find in _names
        for value in find(root)
        if _ABOUT.search(value) or _MANAGER.search(value)
    ]
    found += [role.getparent() for role in _roles(root) if role in _DIALOGS]
    found += root.iter("dialog")
    return dict.fromkeys(found)


def _is_banner(element: Any) -> bool:
    if element.tag not in _BOXES or next(element.iter("main", "article", "h1"), None) is not None:
        return False
    names = " ".join(element.get(name) or "" for name in ("id", "class", "aria-label"))
    if _MANAGER.search(names):
        return True
    if element.tag == "dialog" or element.get("role") in _DIALOGS:
        return bool(_ABOUT.search(names) or _ABOUT.search(_string(element)[:_BEGINNING]))
    if not _ABOUT.search(names):
        return False
    if _KIND.search(names):
        return True
    return next(element.iter(*_HEADINGS), None) is None and not any(
        above.tag in ("main", "article") or above.get("role") == "main"
        for above in element.iterancestors()
    )


def _chars(element: Any) -> int:
    return len(" ".join(_string(element).split()))
