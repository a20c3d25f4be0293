"""Which elements a page itself hides, told by their attributes; style sheets are not read."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_WHOLE = ("html", "body")
_HIDING = re.compile(
    r"display:none|visibility:hidden|(?:left|right|top|bottom|text-indent):-\d{4,}"
)
_TOO_SMALL = re.compile(r"font-size:0(?:px|pt|r?em|%)?(?:[;!]|\Z)")
"""To see; but around others it only takes the gaps between them."""
# Not one expression: libxml2 takes time quadratic in the number of nodes for unions and parents.
_attributes: Any = [etree.XPath(f"//@{name}") for name in ("hidden", "aria-hidden", "style")]


def is_hidden(element: Any) -> bool:
    """Whether `element` itself is hidden, its ancestors aside.

    A page as a whole is not: scripts show it when it is complete, or when a dialog is closed.
    """
    if element.tag in _WHOLE:
        return False
    if element.get("hidden") is not None or element.get("aria-hidden", "").lower() == "true":
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    style = element.get("style")
    if style is None:
        return False
    style = "".join(style.lower().split())
    return bool(_HIDING.search(style) or (_TOO_SMALL.search(style) and not len(element)))


def empty_hidden(root: Any) -> None:
    """Empty the hidden elements of the tree."""
    found = [value.getparent() for find in _attributes for value in find(root)]
    for element in (*found, *root.iter("dialog")):
        if is_hidden(element):
            element.clear(keep_tail=True)
