"""Machine-readable content in HTML pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.extraction import parse_html

URL = "http://a.test/page"


def formats(body: str) -> tuple[str, ...]:
    """Return the formats of a page with this body."""
    return parse_html(f"<html><head></head><body>{body}</body></html>".encode(), URL).formats


def script(text: str, kind: str = "application/ld+json") -> str:
    """Return a script element."""
    return f'<script type="{kind}">{text}</script>'


@pytest.mark.parametrize(
    "text",
    [
        '{"@context": "https://schema.org", "@type": "Person", "name": "Ada"}',
        '[{"name": "no node"}, {"@id": "http://a.test/x"}]',
        '{"@graph": []}',
        '{"@context": {}, "text": "over\n two lines, with <b>tags</b>"}',
    ],
)
def test_json_ld(text: str) -> None:
    """Objects with a keyword of JSON-LD, or a list with one of them."""
    assert formats(script(text))[:1] == ("json-ld",)
    assert formats(script(text, "Application/LD+JSON; charset=utf-8"))[:1] == ("json-ld",)


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"name": "Ada"}', "[]", "3", "null", '"@context"', '{"@context": 1} trailing'],
)
def test_broken_or_other_json_is_no_json_ld(text: str) -> None:
    """Broken JSON, and JSON without a context."""
    assert formats(script(text)) == ()


def test_json_ld_in_a_script_of_another_type_does_not_count() -> None:
    """Other JSON for browsers looks alike."""
    assert formats(script('{"@context": "x", "@type": "y"}', "application/json")) == ()


def test_microdata_needs_an_item_and_a_property() -> None:
    """An item without properties does not count."""
    item = '<div itemscope itemtype="https://schema.org/Person">{}</div>'
    found = formats(item.format('<span itemprop="name">Ada</span>'))
    assert found == ("microdata", "schema:Person")
    assert formats(item.format("Ada")) == ()
    assert formats('<span itemprop="name">Ada</span>') == ()


def test_rdfa_is_a_property_of_something_visible() -> None:
    """Open Graph's properties, which every page has, do not count; nor do Wikipedia's types."""
    assert formats('<p vocab="http://schema.org/"><b property="name">Ada</b></p>') == ("rdfa",)
    assert formats('<meta property="og:title" content="Ada"><b property=" ">x</b>') == ()
    assert formats('<figure typeof="mw:File/Thumb"><img src="a.png"></figure>') == ()


@pytest.mark.parametrize(
    ("body", "types"),
    [
        (script('{"@type": ["Recipe", "NewsArticle"]}'), ["schema:NewsArticle", "schema:Recipe"]),
        (script('{"@graph": [{"x": {"@type": "schema:Event"}}]}'), ["schema:Event"]),
        (script('{"@type": "https://schema.org/Book"}'), ["schema:Book"]),
        (script('{"@type": ["", 3, "a b", "http://other.test/Book"]}'), []),
        ('<p vocab="http://schema.org/" typeof="Person"><b property="name">Ada</b></p>',
         ["schema:Person"]),
        ('<p itemscope itemtype="http://schema.org/Movie"><b itemprop="name">x</b></p>',
         ["schema:Movie"]),
    ],
)  # fmt: skip
def test_types_of_schema_org_follow_the_formats(body: str, types: list[str]) -> None:
    """At any depth, in any spelling; other vocabularies do not count."""
    assert [*formats(body)[1:]] == types


def test_types_are_bounded() -> None:
    """A page may name thousands of types."""
    nodes = json.dumps([{"@type": f"T{number}"} for number in range(1000)])
    deep = '{"@type": "A", "x":' * 300 + "1" + "}" * 300
    assert len(formats(script(nodes))) == 1 + 20
    assert formats(script(deep)) == ("json-ld", "schema:A")


def test_all_at_once_in_alphabetical_order() -> None:
    """Pages often give the same data several times."""
    body = '<p property="a">x</p><p itemscope><b itemprop="a">x</b></p>' + script('{"@id": "x"}')
    assert formats(body) == ("json-ld", "microdata", "rdfa")


@pytest.mark.parametrize(
    "body",
    [
        script("[" * 200_000),
        script('{"@id":' * 100_000),
        script("1" * 100_000),
        script("{}") * 30_000,
        '<p property="">' * 20_000,
        "<p itemscope>" * 20_000,
    ],
)
def test_a_hostile_page_takes_no_time_and_raises_nothing(body: str) -> None:
    """Nesting and repetition take time in proportion to their size."""
    assert formats(body) == ()


@given(st.recursive(st.none() | st.text() | st.floats(), lambda each: st.lists(each)))
def test_json_without_objects_is_never_json_ld(value: object) -> None:
    """For any input."""
    assert "json-ld" not in formats(script(json.dumps(value)))
