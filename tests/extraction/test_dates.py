"""The dates of publication and last change of a page, by its markup and headers."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.extraction import Dates, age_s, changed_by_header, parse_html
from evocrawl.extraction.dates import latest_s, parse_date

MAY_1 = 1714557600.0
"""2024-05-01 10:00 UTC."""
ISO = "2024-05-01T10:00:00Z"
LATER = "2024-05-02T10:00:00+00:00"
DAY_S = 86_400.0


def dates(head: str = "", body: str = "") -> Dates:
    """Return the dates of a page."""
    page = f"<html><head>{head}</head><body>{body}<p>Words</p></body></html>"
    return parse_html(page.encode("utf-8", "replace"), "http://a.test/").dates


def ld(value: object, kind: str = "application/ld+json") -> str:
    """Return a JSON-LD script."""
    return f'<script type="{kind}">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    "text",
    [ISO, "2024-05-01 10:00", "2024-05-01T12:00:00.000+02:00", "Wed, 01 May 2024 10:00:00 GMT",
     f"  {ISO}\n", "1 May 2024 12:00:00 +0200"],
)  # fmt: skip
def test_dates_of_the_web_are_read(text: str) -> None:
    """ISO 8601 as in markup, RFC 9110 as in headers; without a zone it is UTC."""
    assert parse_date(text) == MAY_1


def test_a_day_begins_at_midnight() -> None:
    """This is so for a date without a time."""
    assert parse_date("2024-05-01") == MAY_1 - 10 * 3600


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2024-13-01", "2024-05-01T99:00", "0001-01-01", "9999-12-31T23:59:59Z",
     "1970-01-01", "2024-05-01T10:00:00+99:99", "5 minutes ago", "9" * 500, "²⁰²⁴-05-01", None, 7,
     ["2024-05-01"], "Mon, 99 Foo 2024 10:00:00 GMT", "\x00", "2024-W18-3"],
)  # fmt: skip
def test_invalid_dates_are_left_out(text: object) -> None:
    """Malformed, absurd, or not even a text."""
    assert parse_date(text) is None


@given(st.one_of(st.text(max_size=70), st.datetimes().map(lambda when: when.isoformat())))
def test_no_text_raises(text: str) -> None:
    """Each date is between 1990 and 2200."""
    found = parse_date(text)
    assert found is None or 631_152_000 <= found <= 7_258_118_400


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (ld({"@type": "NewsArticle", "datePublished": ISO, "dateModified": LATER}), ""),
        (ld({"@graph": [{"@type": "WebSite"}, {"datePublished": ISO, "dateModified": LATER}]}), ""),
        (ld([{"a": 1}, {"datePublished": ISO, "dateModified": LATER}]), ""),
        (f'<meta property="article:published_time" content="{ISO}">'
         f'<meta property="article:modified_time" content="{LATER}">', ""),
        (f'<meta name="DC.date.issued" content="{ISO}">'
         f'<meta name="lastmod" content="{LATER}">', ""),
        ("", f'<time itemprop="datePublished" datetime="{ISO}">1 May</time>'
             f'<span itemprop="dateModified" content="{LATER}"></span>'),
    ],
)  # fmt: skip
def test_both_dates_are_found_in_the_markup(head: str, body: str) -> None:
    """Of JSON-LD, meta elements and microdata."""
    assert dates(head, body) == Dates(MAY_1, MAY_1 + DAY_S)


def test_a_single_time_element_is_the_date_of_publication() -> None:
    """If there are several, as on a list of articles, only a marked one counts."""
    one, two = (f'<time datetime="2024-05-0{day}T10:00Z">x</time>' for day in (1, 2))
    assert dates(body=one) == Dates(MAY_1)
    assert dates(body=one + two) == Dates()
    assert dates(body=two + one.replace("<time", "<time pubdate")) == Dates(MAY_1)


def test_a_good_date_takes_the_place_of_a_bad_one() -> None:
    """JSON-LD comes first, but only if it has a date."""
    head = ld({"datePublished": "soon", "dateModified": {"@value": LATER}})
    assert dates(head + f'<meta name="date" content="{ISO}">') == Dates(MAY_1)


@pytest.mark.parametrize(
    "script",
    ["[" * 100_000, '{"datePublished": ', '{"datePublished": 1e999}', '"datePublished"', "null",
     '{"@graph": {"datePublished": "x"}}', '[[{"datePublished": "2024-05-01"}]]',
     '{"datePublished": "' + "9" * 300_000 + '"}'],
)  # fmt: skip
def test_hostile_scripts_give_no_date(script: str) -> None:
    """Scripts that are too deep, cut off, too long, or of another structure."""
    assert dates(f'<script type="application/ld+json">{script}</script>') == Dates()


def test_last_modified_counts_unless_it_is_the_time_of_the_response() -> None:
    """Servers that generate pages on request give the present time."""
    answered = "Wed, 01 May 2024 12:00:00 GMT"
    assert changed_by_header("Wed, 01 May 2024 10:00:00 GMT", answered) == MAY_1
    assert changed_by_header(answered, answered) is None
    assert changed_by_header("Wed, 01 May 2024 12:00:05 GMT", answered) is None
    assert changed_by_header("never", answered) is None
    assert changed_by_header(answered, "") is None


def test_age_is_measured_from_the_latest_credible_date() -> None:
    """A date of tomorrow may come from a time zone; a date of next year is not credible."""
    assert age_s(MAY_1 + 60, [MAY_1, None]) == 60
    assert age_s(MAY_1, [MAY_1 - 500, MAY_1 + DAY_S]) == 0
    assert age_s(MAY_1, [MAY_1 - 500, MAY_1 + DAY_S + 1]) == 500
    assert age_s(MAY_1, [MAY_1 + 400 * DAY_S]) is None
    assert age_s(MAY_1, []) is None


@given(st.lists(st.one_of(st.none(), st.floats(631_152_000, 7_258_118_400)), max_size=3))
def test_an_age_is_finite_and_not_below_zero(known: list[float | None]) -> None:
    """This holds for any text of a page."""
    found = age_s(MAY_1, known)
    assert found is None or (math.isfinite(found) and found >= 0)


@pytest.mark.parametrize(
    ("text", "later_h"),
    [
        (ISO, 0), ("2024-05-01T12:00:00+02:00", 0), ("2024-05-01T12:00+0200", 0),
        ("Wed, 01 May 2024 10:00:00 GMT", 0), ("1 May 2024 12:00:00 +0200", 0),
        ("2024-05-01T10:00", 12), ("2024-05-01 10:00:00.5", 12), ("2024-05-01", 26),
        ("1 May 2024 10:00:00", 12),
    ],
)  # fmt: skip
def test_the_latest_moment_of_a_date_is_its_end_in_the_last_zone(text: str, later_h: int) -> None:
    """A day ends at midnight in the last time zone."""
    latest = latest_s(text)
    assert latest is not None
    assert int(latest) == MAY_1 + later_h * 3600


@pytest.mark.parametrize(
    "text", ["", "2024", "2024-05", "2024-13-01", "0000-00-00", "9999-12-31", "tomorrow", None, 5,
             "2024-05-01T25:00", "1970-01-01", "٢٠٢٤-٠٥-٠١", "2024-05-01" * 20, "\0"]
)  # fmt: skip
def test_a_text_that_is_no_date_has_no_latest_moment(text: object) -> None:
    assert latest_s(text) is None


@given(st.one_of(st.text(max_size=60), st.datetimes().map(lambda each: each.isoformat())))
def test_the_latest_moment_is_not_before_the_date(text: str) -> None:
    """It is at most 36 hours later."""
    seconds, latest = parse_date(text), latest_s(text)
    assert (seconds is None) == (latest is None)
    if seconds is not None and latest is not None:
        assert 0 <= latest - seconds <= 1.5 * DAY_S
