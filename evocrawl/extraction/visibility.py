"""Which elements a page itself hides, told by their attributes; style sheets are not read."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_WHOLE = ("html", "body")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_MAY_HIDE = re.compile(r"none|hidden|collapse|overflow|:-\d{3}|:0|\(")
_OUT_OF_THE_PAGE = re.compile(r"-(?:\d{4,}|\d{3}r?em)")
_NOTHING = re.compile(r"0*\.?0+(?:[a-z]{2,4}|%)?")
_A_POINT = re.compile(r"[01]px")
_CLIPPED = re.compile(
    r"(?:inset\((?:100|[5-9]\d)(?:\.\d+)?% | (?:circle|ellipse)\(0(?:px|%)?[^\d.]"
    r" | polygon\(0(?:px|%)?0)",
    re.VERBOSE,
)
_RECT = re.compile(r"rect\((?:0|1)(?:px)?(?:,?[01](?:px)?){3}\)")
_SHRUNK = re.compile(r"(?:scale(?:3d|[xy])?\(0(?:\.0+)?(?:,0(?:\.0+)?)*\)|matrix\(0,0,0,0,)")
_MOVED_AWAY = re.compile(r"translate(?:3d|[xy])?\((?:0(?:px)?,)?-\d{4,}")
"""A font of no size hides its words; but around others it only takes the gaps between them."""
_HIDING = {
    "display": ("none",),
    "visibility": ("hidden", "collapse"),
    "content-visibility": ("hidden",),
}
_EDGES = ("left", "right", "top", "bottom", "text-indent")
_IMPORTANT = "!important"
# Not one expression: libxml2 takes time quadratic in the number of nodes for unions and parents.
_attributes: Any = [
    etree.XPath(f"//@{name}") for name in ("hidden", "aria-hidden", "inert", "popover", "style")
]


def is_hidden(element: Any) -> bool:
    """Whether `element` itself is hidden, its ancestors aside.

    A page as a whole is not: scripts show it when it is complete, or when a dialog is closed.
    """
    if element.tag in _WHOLE:
        return False
    hidden = element.get("hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    if element.get("aria-hidden", "").lower() == "true" or element.get("popover") is not None:
        return True
    if element.get("inert") is not None and next(element.iter("main", "h1"), None) is None:
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    style = element.get("style")
    return style is not None and _hides(style.lower(), has_children=len(element) > 0)


def _hides(style: str, *, has_children: bool) -> bool:
    plain = "".join(_COMMENT.sub("", style).split())
    if not _MAY_HIDE.search(plain):
        return False
    told = _declared(plain)
    if _takes_no_place(told) or _is_cut_away(told):
        return True
    for name, value in told.items():
        if value in _HIDING.get(name, ()):
            return True
        if name.endswith(_EDGES) and _OUT_OF_THE_PAGE.match(value):
            return True
        if name == "font-size" and not has_children and _NOTHING.fullmatch(value):
            return True
    return False


def _takes_no_place(told: dict[str, str]) -> bool:
    """Whether a box has no height or width, and what goes over its edges is cut.

    ``max-height:0`` is how sections are folded; style sheets cut there. With a padding the box has
    a place: that is how pictures get their proportions.
    """
    overflow = [told.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")]
    is_cut = any("hidden" in each or "clip" in each for each in overflow)
    has_padding = any(
        name.startswith(("padding", "min-")) and not _NOTHING.fullmatch(value)
        for name, value in told.items()
    )
    if has_padding:
        return False
    if is_cut:
        sizes = (told.get(name, "") for name in ("height", "width", "max-height", "max-width"))
        return any(_NOTHING.fullmatch(each) or _A_POINT.fullmatch(each) for each in sizes)
    return bool(_NOTHING.fullmatch(told.get("max-height", ""))) and not any(overflow)


def _is_cut_away(told: dict[str, str]) -> bool:
    """Whether a box is clipped to nothing, or shrunk to it, or moved out of the page."""
    transform = told.get("transform", "")
    is_loose = told.get("position", "absolute") in ("absolute", "fixed")
    return bool(
        _CLIPPED.match(told.get("clip-path", ""))
        or (is_loose and _RECT.fullmatch(told.get("clip", "")))
        or _SHRUNK.search(transform)
        or _MOVED_AWAY.search(transform)
        or _NOTHING.fullmatch(told.get("scale", ""))
    )


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


INLINE = (
    *("abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
    *("font", "i", "ins", "kbd", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span"),
    *("strike", "strong", "sub", "sup", "time", "tt", "u", "var"),
)
"""Elements that say how their words look, and nothing of what they are in the page."""

READINGS = ("rp", "rt", "rtc")
"""How the characters of a ruby are spoken, which stands above them: no part of the sentence."""
