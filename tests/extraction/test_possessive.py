"""Patterns with possessive groups match alike with each version of Python."""

from __future__ import annotations

import re

import pytest

from evocrawl.extraction import possessive


@pytest.mark.parametrize("is_right", [True, False])
def test_a_failed_last_repetition_is_given_back(
    monkeypatch: pytest.MonkeyPatch, is_right: bool
) -> None:
    """Whether Python's own module is right about it (then it is used) or not."""
    if is_right and not possessive._IS_RIGHT:
        pytest.skip("this Python is not right about it")
    monkeypatch.setattr(possessive, "_IS_RIGHT", is_right)
    script = possessive.compiled(rb"<script> (?:<(?!/SCRIPT) [^<]*+)*+", re.VERBOSE | re.IGNORECASE)
    assert [match.span() for match in script.finditer(b"<Script><a<b</script>")] == [(0, 12)]
    lines = possessive.compiled("(?:.|\n)*+(?=Z)?", re.S)
    assert lines.fullmatch("a\nb") is not None
