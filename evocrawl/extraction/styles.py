"""Decides from an element's style attribute whether it is shown; ignores style sheets."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_TELLING = r"none|hidden|visib|collapse|overflow|max-height|:\s*-\d{3}|[:\s.]0|\("
_MAY_TELL = re.compile(_TELLING)
_MAY_TELL_BYTES = re.compile(rf"{_TELLING}|&|/\*".encode())
_MOST_BYTES = 500
_ATTRIBUTE = re.compile(rb"""style\s*=(?=\s*("[^"]{0,500}|'[^']{0,500}|[^\s>]{0,500}))""")
_OUT_OF_THE_PAGE = re.compile(r"-(?:\d{4,}|\d{3}r?em)")
_ZERO = r"(?:0+(?:\.0+)?|\.0+)(?:[a-z]{2,4}|%)?"
_NOTHING = re.compile(_ZERO)
_A_POINT = re.compile(r"[01]px")
_CLIPPED = re.compile(
    r"(?:inset\((?:100|[5-9]\d)(?:\.\d+)?% | (?:circle|ellipse)\(0(?:px|%)?[^\d.]"
    r" | polygon\(0(?:px|%)?0)",
    re.VERBOSE,
)
_RECT = re.compile(r"rect\((?:0|1)(?:px)?(?:,?[01](?:px)?){3}\)")
_SHRUNK = re.compile(r"(?:scale(?:3d|[xy])?\(0(?:\.0+)?(?:,0(?:\.0+)?)*\)|matrix\(0,0,0,0,)")
_MOVED_AWAY = re.compile(r"translate(?:3d|[xy])?\((?:0(?:px)?,)?-\d{4,}")
_INDENTED_AWAY = re.compile(r"(-?)[1-9]\d{2,}(?:\.\d+)?%")
_FONT_OF_NOTHING = re.compile(rf"(?:.*\s)?{_ZERO}(?:/.*|\s\D.*)")
_SLASH = re.compile(r"\s?/\s?")
_WITHIN_A_LINE = ("inline", "contents", "initial", "unset")
_EDGES = ("left", "right", "top", "bottom", "text-indent")
_IMPORTANT = "!important"


class Shown(IntEnum):
    """Visibility of an element; from `UNSEEN` on it is hidden."""

    SHOWN = 0
    VISIBLE = 1
    """Its own style makes it visible, even in an invisible element."""
    UNSEEN = 2
    """It is cut off or moved away; a screen reader reads it."""
    INVISIBLE = 3
    """It and its descendants are invisible, except those that their own style makes visible."""
    ABSENT = 4
    """It is there for no reader."""


_VALUES = {
    ("display", "none"): Shown.ABSENT,
    ("content-visibility", "hidden"): Shown.ABSENT,
    ("visibility", "hidden"): Shown.INVISIBLE,
    ("visibility", "collapse"): Shown.INVISIBLE,
    ("visibility", "visible"): Shown.VISIBLE,
    ("visibility", "initial"): Shown.VISIBLE,
}


def may_tell(lower: bytes) -> bool:
    """Return whether a page in lower case may have a style attribute that hides anything."""
    return any(
        len(found[1]) >= _MOST_BYTES or _MAY_TELL_BYTES.search(found[1])
        for found in _ATTRIBUTE.finditer(lower)
    )


@lru_cache(maxsize=512)
def how_shown(style: str, *, is_inline: bool = False, has_children: bool = False) -> Shown:
    """Return how an element with that style attribute is shown.

    `is_inline` is True for an element that is in a line by default.

    >>> how_shown("Display: none"), how_shown("height:0; overflow:hidden", is_inline=True)
    (<Shown.ABSENT: 4>, <Shown.SHOWN: 0>)
    """
    plain = _COMMENT.sub("", style.lower())
    if not _MAY_TELL.search(plain):
        return Shown.SHOWN
    values = _declared(plain)
    by_value = max((_VALUES.get(each, Shown.SHOWN) for each in values.items()), default=Shown.SHOWN)
    if by_value > Shown.UNSEEN:
        return by_value
    is_unseen = (
        _is_cut_away(values)
        or _is_moved_away(values)
        or (not _stands_in_a_line(values, is_inline=is_inline) and _takes_no_place(values))
        or (not has_children and _has_no_font(values))
    )
    return Shown.UNSEEN if is_unseen else by_value


def _stands_in_a_line(values: dict[str, str], *, is_inline: bool) -> bool:
    """Return whether height and width do not apply to the element (CSS 2 §10.2, §9.7)."""
    display = values.get("display", "inline" if is_inline else "block")
    return (
        display in _WITHIN_A_LINE
        and values.get("position", "") not in ("absolute", "fixed")
        and values.get("float", "none") == "none"
    )


def _takes_no_place(values: dict[str, str]) -> bool:
    """Return whether a box has no height or width and its content is cut off at the edges.

    ``max-height:0`` does not count without a cut: pages use it for sections that open, and their
    style sheets cut them. A box with padding is visible: so pages set the proportions of pictures.
    """
    has_padding = any(
        name.startswith(("padding", "min-")) and not _NOTHING.fullmatch(value)
        for name, value in values.items()
    )
    if has_padding:
        return False
    if _cuts(values):
        sizes = (values.get(name, "") for name in ("height", "width", "max-height", "max-width"))
        return any(_NOTHING.fullmatch(each) or _A_POINT.fullmatch(each) for each in sizes)
    is_open = any(values.get(name) for name in ("overflow", "overflow-x", "overflow-y"))
    return bool(_NOTHING.fullmatch(values.get("max-height", ""))) and not is_open


def _cuts(values: dict[str, str]) -> bool:
    overflow = [values.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")]
    return any("hidden" in each or "clip" in each for each in overflow)


def _is_cut_away(values: dict[str, str]) -> bool:
    """Return whether a box is clipped or scaled to nothing."""
    is_loose = values.get("position", "absolute") in ("absolute", "fixed")
    return bool(
        _CLIPPED.match(values.get("clip-path", ""))
        or (is_loose and _RECT.fullmatch(values.get("clip", "")))
        or _SHRUNK.search(values.get("transform", ""))
        or _NOTHING.fullmatch(values.get("scale", ""))
    )


def _is_moved_away(values: dict[str, str]) -> bool:
    """Return whether the element is outside the page, or its words outside a box that cuts."""
    if _MOVED_AWAY.search(values.get("transform", "")):
        return True
    if any(_OUT_OF_THE_PAGE.match(values[name]) for name in values if name.endswith(_EDGES)):
        return True
    indented = _INDENTED_AWAY.fullmatch(values.get("text-indent", ""))
    is_one_line = "nowrap" in values.get("white-space", "") or "nowrap" in values.get(
        "text-wrap", ""
    )
    return indented is not None and _cuts(values) and bool(indented[1] or is_one_line)


def _has_no_font(values: dict[str, str]) -> bool:
    """Return whether its words have no size; around other elements this only removes gaps."""
    size = values.get("font-size")
    if size is not None:
        return _NOTHING.fullmatch(size) is not None
    return _FONT_OF_NOTHING.fullmatch(_SLASH.sub("/", values.get("font", ""))) is not None


def _declared(style: str) -> dict[str, str]:
    """Return the value of each property: the last one, or the last that is important (CSS).

    White space is removed, except in `font`, where it separates the values.
    """
    values: dict[str, str] = {}
    for each in style.split(";"):
        name, _, value = each.partition(":")
        name = "".join(name.split())
        value = (" " if name == "font" else "").join(value.split())
        if value.endswith(_IMPORTANT) or not values.get(name, "").endswith(_IMPORTANT):
            values[name] = value
    return {
        name: value.removesuffix(_IMPORTANT).rstrip()
        for name, value in values.items()
        if name[:2] != "--"
    }
