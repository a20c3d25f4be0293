"""Converts cleaned HTML to Markdown; the one file that uses markdownify (extra "markdown")."""

from __future__ import annotations

import re
from typing import Any

from markdownify import ATX, MarkdownConverter

from evocrawl.extraction.markdown_text import LINK, escaped, safe_link

_CELLS = frozenset(("td", "th"))
_BACKTICKS = re.compile("`+")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-(?:source-)?)([\w+#.-]{1,20})(?=\s|$)", re.A
)
_base: Any = MarkdownConverter


class SafeConverter(_base):
    """Writes Markdown that a page cannot use against its reader.

    Links are absolute, to http and https only. Of a picture, only the description remains. A fence
    is longer than any run of backticks in its program.
    """

    def __init__(self, base_url: str) -> None:
        super().__init__(heading_style=ATX, autolinks=False, bs4_options="lxml")
        self._base_url = base_url

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escape the text of a page."""
        text = escaped(text or "")
        return text.replace("|", r"\|") if _CELLS & parent_tags else text

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Write a link on one line."""
        words = " ".join(text.split())
        link = safe_link(str(el.get("href") or ""), self._base_url)
        if "_noformat" in parent_tags or not link or not words:
            return text
        before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
        return f"{before}{LINK}[{words}]({link}){after}"

    def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        """Write the description of a picture: viewers load pictures without being asked."""
        return self.escape(" ".join(str(el.get("alt") or "").split()), parent_tags)

    def convert_video(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        """Leave a film out."""
        return ""

    convert_audio = convert_video

    def convert_code(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Write words of a program on one line."""
        if "_noformat" not in parent_tags:
            text = " ".join(text.split())
            text = text.replace("|", r"\|") if _CELLS & parent_tags else text
        return str(super().convert_code(el, text, parent_tags))

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        """Write a program between fences."""
        fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
        text = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
        return f"\n\n{fence}{_language(el)}\n{text}\n{fence}\n\n" if text.strip() else ""

    def convert_li(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        """Write an item by the number that `markdown_parts.simplify` has given it.

        Outside a list, too, it begins a line: text before it would hide the fence of its program.
        """
        bullet = f"{el['value']}. " if el.get("value", "").isdecimal() else "- "
        lines = text.strip().split("\n")
        rest = [" " * len(bullet) + line if line else "" for line in lines[1:]]
        before = "" if el.parent.name in ("ol", "ul") else "\n"
        return before + "\n".join([bullet + lines[0], *rest]) + "\n"


def _language(element: Any) -> str:
    """Return the language that a program names by its class, as highlighters write it."""
    for each in (element, element.parent):
        names = each.get("class") if each is not None else None
        match = _LANGUAGE.search(" ".join(names) if isinstance(names, list) else str(names or ""))
        if match is not None:
            return match[1].strip(".-")
    return ""
