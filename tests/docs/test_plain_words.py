"""Docstrings, comments, messages and pages use plain words."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("evocrawl", "middlewares", "pipelines", "spiders", "docs", "tests", "benchmarks")
NAMES = ("*.py", "*.md")
UNCLEAR = re.compile(
    r"\b(?:some|any|no|every)body\b"  # name the part of the software
    r"|\bwho(?:m|so)?ever\b|\bwhatever\b"
    r"|\b(?:lest|alas|hitherto|henceforth|(?:there|where)of|unto|amidst)\b"
    r"|\b(?:foretell|dwell|befall|heed|reap|shun)s?\b"
    r"|\bin vain\b|\bas it were\b|\bby and by\b|\bwhat is none\b",
    re.IGNORECASE,
)
"""Indefinite persons, and words that a reader who learnt English later may not know."""


def test_sources_and_pages_contain_no_unclear_words() -> None:
    """A sentence names the thing that acts, in words of everyday English."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder in FOLDERS
        for name in NAMES
        for path in (ROOT / folder).rglob(name)
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if UNCLEAR.search(line)
    ]
    assert found == []
