"""Writes reference/faults.md from reference/faults.toml and the tests.

Run it with `python docs/make_faults.py`.

A test says which faults it is about by their ids, in its docstring, its name or the id of one of
its parameters: ``\"\"\"R1, B055: …\"\"\"``, ``test_b009_…``, ``pytest.param(…, id="B110")``.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGE = DOCS / "reference" / "faults.md"

_ID = re.compile(r"(?<![A-Za-z0-9])([RC]\d{1,2}|B\d{3})(?![A-Za-z0-9])")
_MOST_TESTS = 3
_NAMED = re.compile(r"(?:^|_)([rc]\d{1,2}|b\d{3})(?=_|$)")

_HEAD = """\
# Faults we test for

`docs/make_faults.py` makes this page from `docs/reference/faults.toml` and the ids in the tests.
Each row is a kind of fault, seen on the web or caused on purpose: the right behaviour, the
behaviour of Scrapy 2.19.0 (or of the program that the cell names), and tests of evocrawl. Ids with
R are promises, with C crashes, with B single inputs. A row lists three tests at most; search
`tests/` for its id to find all of them.
"""


def catalogue() -> dict[str, Any]:
    """Return sections (a title and rows), and what is left out (what and why)."""
    with (DOCS / "reference" / "faults.toml").open("rb") as file:
        return tomllib.load(file)


def tests_by_id() -> dict[str, list[str]]:
    """Return for each id the tests that name it, as ``folder/test_file.py: what it says``."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT / "tests").as_posix()
        for test in _tests(ast.parse(path.read_text(encoding="utf-8"))):
            for each in sorted(_ids(test)):
                found[each].append(f"{name}: {_words(test.name)}")
    return found


def _tests(module: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def _ids(test: ast.FunctionDef) -> set[str]:
    texts = [ast.get_docstring(test) or ""]
    for decorator in test.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.keyword) and node.arg in ("id", "ids"):
                texts.append(ast.unparse(node.value))
    named = {each.upper() for each in _NAMED.findall(test.name.removeprefix("test_"))}
    return named.union(*(_ID.findall(text) for text in texts))


def _words(name: str) -> str:
    return _NAMED.sub("", name.removeprefix("test_")).strip("_").replace("_", " ")


def _listed(tests: Sequence[str]) -> str:
    """Return the first tests for a cell, with the number of the others."""
    rest = len(tests) - _MOST_TESTS
    return "<br>".join([*tests[:_MOST_TESTS], *([f"and {rest} more"] if rest > 0 else [])])


def page(found: Mapping[str, Sequence[str]]) -> str:
    """Return the text of faults.md; `found` contains the tests by id."""
    lines = [_HEAD]
    listed = catalogue()
    for section in listed["section"]:
        lines += [
            f"## {section['title']}\n",
            "| | fault | right | stock Scrapy | tests |",
            "| --- | --- | --- | --- | --- |",
        ]
        for row in section["rows"]:
            tests = _listed(found.get(row["id"], ())) or f"none: {row['without']}"
            cells = (row["id"], row["fault"], row["right"], row["stock"], tests)
            lines.append(f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |")
        lines.append("")
    lines.append("## Left out\n")
    lines += [f"- {each['what']}: {each['why']}." for each in listed["left_out"]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(tests_by_id()), encoding="utf-8")
