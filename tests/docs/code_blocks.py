"""The code blocks of a page of the documentation, and the commands in them."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

_SHELL_ENDS = re.compile(r"^(?:\d?>{1,2}.*|[&|;]{1,2}|<.*)$")
_ASSIGNMENT = re.compile(r"^\w+=")
_GAP = "…"
"""Stands for what the page leaves out."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page, with its language ("" for an indented one) and its first line."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced and the indented blocks of a page, in their order."""
    return [
        Block(token.info.strip(), token.content, token.map[0] + 1 if token.map else 0)
        for token in MarkdownIt().parse(page.read_text(encoding="utf-8"))
        if token.type in ("fence", "code_block")
    ]


def commands_of(block: Block, program: str) -> Iterator[list[str]]:
    """Yield the arguments of each command of `program` in a block, without what the shell takes.

    A command in which words are left out is not a command.
    """
    for line in block.text.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # prose with an apostrophe, or a program's code
            continue
        while words and (_ASSIGNMENT.match(words[0]) or words[0] == "$"):
            words.pop(0)
        ends = [at for at, word in enumerate(words) if _SHELL_ENDS.match(word)]
        words = words[: min(ends, default=len(words))]
        if words[:1] == [program] and _GAP not in words:
            yield words[1:]


def settings_of(block: Block) -> dict[str, Any]:
    """Return the settings of evocrawl that a block of Python assigns."""
    try:
        tree = ast.parse(block.text)
    except SyntaxError:
        return {}
    return {
        target.id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.startswith("EVOCRAWL_")
    }
