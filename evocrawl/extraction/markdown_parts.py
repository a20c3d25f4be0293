"""The parts of a page that become Markdown, in a form that every converter understands."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from evocrawl.extraction.consent_banners import empty_banners
from evocrawl.extraction.visibility import INLINE

_NAVIGATION = ("nav", "footer", "form", "button", "select", "input", "textarea", "dialog", "iframe",
               "object", "embed", "canvas", "svg", "math")  # fmt: skip
_ROLES = frozenset(("navigation", "contentinfo", "search", "banner", "menu", "menubar", "toolbar"))
_WHOLE = ("pre", "table")
_LISTS = ("ul", "ol", "dl")
"""Main content has lists that its finder drops: those beside its text are kept."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = (*_HEADINGS, "table", "pre", "ul", "ol", "blockquote", "hr")
_TABLE_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption")
_MARKED = ("b", "strong", "i", "em", "del", "s", "q")
"""Elements around which a converter writes marks: before the fence of a program, a mark ends it."""
_PERMALINKS = frozenset(("", "¶", "#", "§", "🔗"))
_LINE_NUMBERS = re.compile(r"\b(?:linenos?|line-?numbers?|lineno)\b", re.I)
_GRAM = 8
"""Characters of the pieces by which texts are compared; white space does not count."""
_STEP = 3
_SENTENCE = 40
_FEW, _NEARLY_ALL, _HALF = 0.25, 0.9, 0.5
_DEEPEST = 40
_MOST_COLUMNS = 50
_string: Any = etree.XPath("string()", smart_strings=False)


def keep_main_parts(root: Any, text: str) -> bool:
    """Remove the parts of the page that are not in `text`, its main text.

    Programs stay, and so do tables and lists beside its text that are not of links. Return False if
    less than half of `text` is from this page. O(depth · characters); the depth is at most 40.
    """
    empty_banners(root)
    etree.strip_elements(root, "head", *_NAVIGATION, with_tail=False)
    for element in list(root.iter(etree.Element)):
        if element.get("role", "").lower() in _ROLES and element.tag not in ("html", "body"):
            _remove(element)
    plain = _without_spaces(text)
    grams = {plain[at : at + _GRAM] for at in range(max(len(plain) - _GRAM + 1, 1))}
    of_page = _without_spaces(_string(root))
    there = {of_page[at : at + _GRAM] for at in range(max(len(of_page) - _GRAM + 1, 1))}
    if not plain or len(grams & there) < _HALF * len(grams):
        return False
    body = root if root.tag == "body" else next(root.iter("body"), root)
    _prune(body, grams, plain, 0)
    return True


def simplify(root: Any) -> None:
    """Rewrite parts that converters misread.

    These are programs with markup, layout tables, parts of no table, definitions, and bold text
    around blocks.
    """
    for pre in list(root.iter("pre")):
        _flatten(pre)
    for table in list(root.iter("table")):
        _simplify_table(table)
    for term in list(root.iter("dt")):
        strong = etree.Element("strong")
        strong.text, strong[:] = term.text, list(term)
        term.tag, term.text, term[:] = "p", None, [strong]
    for each in list(root.iter("dl", "dd", "figure", "figcaption", "summary", "details")):
        each.tag = "div"
    for link in list(root.iter("a")):
        if (_string(link) or "").strip() in _PERMALINKS and next(link.iter("img"), None) is None:
            _remove(link)
    for item in list(root.iter("li")):
        item.attrib.pop("value", None)
    for listed in list(root.iter("ol")):
        _number(listed)
    for part in list(root.iter(*_TABLE_PARTS)):
        if next(part.iterancestors("table"), None) is None:
            part.tag = "div"
    for program in list(root.iter("code", "kbd", "samp")):
        if next(program.iter("pre"), None) is not None:
            program.tag = "div"
        else:  # between the marks of a program, nothing else may be written
            etree.strip_tags(program, "*")
    for marked in list(root.iter(*_MARKED)):
        if next(marked.iter(*_BLOCKS), None) is not None:
            marked.tag = "div"


def _prune(element: Any, grams: set[str], plain: str, depth: int) -> None:
    blocks = []
    for child in element:
        if not isinstance(child.tag, str) or child.tag in INLINE or child.tag in ("a", "pre", "br"):
            continue
        chars = _without_spaces(_string(child))
        if chars:
            blocks.append((child, chars, _share(chars, grams, plain)))
    has_text = any(share >= _NEARLY_ALL and len(chars) >= _SENTENCE for _, chars, share in blocks)
    for child, chars, share in blocks:
        if share >= _NEARLY_ALL:
            continue
        is_listed = has_text and child.tag in _LISTS
        is_whole = is_listed or next(child.iter(*_WHOLE), None) is not None
        is_kept = is_whole and not _is_of_links(child, chars)
        if share < _FEW and not is_kept:
            _remove(child)
        elif child.tag not in _WHOLE and not (is_listed and is_kept) and depth < _DEEPEST:
            _prune(child, grams, plain, depth + 1)


def _share(chars: str, grams: set[str], plain: str) -> float:
    """Return the share of a text that is in the main text."""
    if len(chars) < _GRAM:
        return float(chars in plain)
    pieces = [chars[at : at + _GRAM] for at in range(0, len(chars) - _GRAM + 1, _STEP)]
    return sum(piece in grams for piece in pieces) / len(pieces)


def _is_of_links(element: Any, chars: str) -> bool:
    in_links = sum(len(_without_spaces(_string(link))) for link in element.iter("a"))
    return in_links > _HALF * len(chars)


def _flatten(pre: Any) -> None:
    """Replace the content of a program by its text, and keep its lines."""
    for each in list(pre.iter(etree.Element)):
        names = f"{each.get('class', '')} {each.get('id', '')}"
        if each is not pre and _LINE_NUMBERS.search(names) and not _has_code(each):
            _remove(each)
        elif each.tag == "br" or (each is not pre and each.tag in ("div", "p", "li", "tr")):
            each.tail = "\n" + (each.tail or "") if not _ends_line(each) else each.tail
    language = next((each.get("class") for each in pre.iter("code") if each.get("class")), None)
    text = _string(pre)
    for child in list(pre):
        pre.remove(child)
    pre.text = text
    if language is not None and "language-" in language and "language-" not in pre.get("class", ""):
        pre.set("class", f"{pre.get('class', '')} {language}".strip())


def _has_code(element: Any) -> bool:
    return not (_string(element) or "").replace("\n", "").strip().isdecimal()


def _ends_line(element: Any) -> bool:
    return element.tag != "br" and (_string(element) or "").endswith("\n")


def _simplify_table(table: Any) -> None:
    """Give a table at most one header row; replace a table that only arranges blocks."""
    cells = list(table.iter("td", "th"))
    is_layout = (
        table.get("role", "") in ("presentation", "none")
        or len(cells) < 2
        or any(next(cell.iter(*_BLOCKS), None) is not None for cell in cells)
    )
    if is_layout:
        for cell in cells:
            if _LINE_NUMBERS.search(cell.get("class", "")):
                _remove(cell)
        for each in list(table.iter("table", *_TABLE_PARTS)):
            each.tag = "div"
        return
    etree.strip_elements(table, "col", "colgroup", with_tail=False)
    for caption in list(table.iter("caption")):
        parent = table.getparent()
        caption.tag, caption.tail = "p", None
        parent.insert(parent.index(table), caption)
    for head in list(table.iter("thead")):
        for cell in head.iter("td"):
            cell.tag = "th"
    etree.strip_tags(table, "thead", "tbody", "tfoot")
    for cell in table.iter("td", "th"):
        span = cell.get("colspan", "")
        if span.isdecimal() and int(span[:9]) > _MOST_COLUMNS:
            cell.set("colspan", str(_MOST_COLUMNS))


def _number(listed: Any) -> None:
    """Number the items of a list, since a converter that counts them for each is quadratic."""
    start = listed.get("start", "")
    number = int(start) if start.isdecimal() and len(start) < 9 else 1
    for item in listed.iterchildren("li"):
        item.set("value", str(number))
        number += 1


def _remove(element: Any) -> None:
    """Remove an element; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail:
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    parent.remove(element)


def _without_spaces(text: str) -> str:
    return "".join(text.casefold().split())
