"""The option `relevance` as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import SettingError
from evocrawl.relevance.mix_text import MixPart, parse_mix

NAMES = st.from_regex(r"[a-z][a-z_.0-9]{0,10}", fullmatch=True)
ARGUMENTS = st.text(st.characters(exclude_characters='"', exclude_categories=("C",)), max_size=20)
WEIGHTS = st.floats(1e-6, 1e6)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("tfidf", [MixPart(1.0, "tfidf")]),
        ("tfidf+bm25", [MixPart(1.0, "tfidf"), MixPart(1.0, "bm25")]),
        (" 0.7 * tfidf + .3*bm25 ", [MixPart(0.7, "tfidf"), MixPart(0.3, "bm25")]),
        ("0*tfidf+bm25", [MixPart(1.0, "bm25")]),
        ("1e-3*a.b:C:x", [MixPart(0.001, "a.b", "C:x")]),
        ('regex:"a+b"+2*tfidf', [MixPart(1.0, "regex", "a+b"), MixPart(2.0, "tfidf")]),
        ("regex:'say \"a\"'", [MixPart(1.0, "regex", 'say "a"')]),
        ("regex:it's", [MixPart(1.0, "regex", "it's")]),
        ("regex:x*y", [MixPart(1.0, "regex", "x*y")]),
        ("regex:a+regex:b", [MixPart(1.0, "regex", "a"), MixPart(1.0, "regex", "b")]),
        ("vectors:/a b/c.npz", [MixPart(1.0, "vectors", "/a b/c.npz")]),
    ],
)
def test_a_mix_is_read_with_weights_and_arguments(text: str, parts: list[MixPart]) -> None:
    """A model without a weight has weight 1, one of weight 0 is left out."""
    assert [*parse_mix(text)] == parts


@pytest.mark.parametrize(
    "text",
    ["", " ", "+", "tfidf+", "+tfidf", "tfidf++bm25", "*tfidf", "-1*tfidf", "x*tfidf", "nan*tfidf",
     "inf*tfidf", "1e308*tfidf+1e308*bm25", "1e-320*tfidf",
     "0*tfidf", "0*tfidf+0.0*bm25", "2*3*tfidf", "tf idf", 'regex:"a', 'regex:"a"b', "tfidf:",
     "vectors: +tfidf", "regex:+tfidf", "tfidf+tfidf", "tfidf+2*tfidf", "regex:a+0*regex:'a'"],
)  # fmt: skip
def test_a_mix_that_cannot_be_read_is_refused(text: str) -> None:
    """The error names the option."""
    with pytest.raises(SettingError, match=r"^relevance is"):
        parse_mix(text)


@given(st.lists(st.tuples(WEIGHTS, NAMES, ARGUMENTS), min_size=1, max_size=5,
                unique_by=lambda part: part[1:]))  # fmt: skip
def test_every_mix_that_is_written_is_read_back(parts: list[tuple[float, str, str]]) -> None:
    """An argument in quotes may hold any character, also plus signs and stars."""
    text = "+".join(f'{weight!r}*{name}:"{argument}"' for weight, name, argument in parts)
    assert [*parse_mix(text)] == [MixPart(*part) for part in parts]


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No other exception, and every part has a weight and a name."""
    try:
        parts = parse_mix(text)
    except SettingError:
        return
    assert all(part.weight > 0 and part.name for part in parts)
