"""Which elements a page itself hides, told by their attributes; style sheets are not read."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_WHOLE = ("html", "body")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_MAY_HIDE = re.compile(r"none|hidden|collapse|:-\d{4}|:0")
_OUT_OF_THE_PAGE = re.compile(r"-\d{4,}")
_NOTHING = re.compile(r"0(?:px|pt|r?em|%)?")
"""A font of no size hides its words; but around others it only takes the gaps between them."""
_HIDING = {"display": ("none",), "visibility": ("hidden", "collapse")}
_EDGES = ("left", "right", "top", "bottom", "text-indent")
_IMPORTANT = "!important"
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
    return style is not None and _hides(style.lower(), has_children=len(element) > 0)


def _hides(style: str, *, has_children: bool) -> bool:
    plain = "".join(_COMMENT.sub("", style).split())
    if not _MAY_HIDE.search(plain):
        return False
    for name, value in _declared(plain).items():
        if value in _HIDING.get(name, ()):
            return True
        if name.endswith(_EDGES) and _OUT_OF_THE_PAGE.match(value):
            return True
        if name == "font-size" and not has_children and _NOTHING.fullmatch(value):
            return True
    return False


def _declared(style: str) -> dict[str, str]:
    """What each property is in the end: the last counts, or the last that is important (CSS)."""
    told: dict[str, str] = {}
    for each in style.split(";"):
        name, _, value = each.partition(":")
        if value.endswith(_IMPORTANT) or not told.get(name, "").endswith(_IMPORTANT):
            told[name] = value
    return {
        name: value.removesuffix(_IMPORTANT) for name, value in told.items() if name[:2] != "--"
    }


def empty_hidden(root: Any) -> None:
    """Empty the hidden elements of the tree."""
    found = [value.getparent() for find in _attributes for value in find(root)]
    for element in (*found, *root.iter("dialog")):
        if is_hidden(element):
            element.clear(keep_tail=True)
