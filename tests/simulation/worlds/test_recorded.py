"""A recorded world has the content of its file."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from world_files import NOWHERE, ROWS, A, B, C, write_rows

from evocrawl.core.model import Cost, Dead, Link, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.worlds.base import Arrived, Document
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.world_file import WorldError


@pytest.fixture
def world(tmp_path: Path) -> Recorded:
    return Recorded.read(write_rows(tmp_path / "small.jsonl", ROWS))


def page(world: Recorded, url: str) -> Document:
    arrived = world.fetch(url, 0.0)
    assert isinstance(arrived, Arrived)
    return arrived.document


def test_a_page_has_the_values_of_its_line(world: Recorded) -> None:
    """Title, text, language, date and costs."""
    arrived = world.fetch(A, 5.0)
    assert isinstance(arrived, Arrived)
    assert (arrived.document.title, arrived.document.language) == ("One", "en")
    assert arrived.document.text == "Albatrosses and other birds."
    assert arrived.cost == Cost(0.1, 0.1, len("Albatrosses and other birds."), 1)
    assert world.extra[fingerprint(A)] == {"author": "an author"}
    assert world.name == "small"


def test_links_are_read_as_in_a_crawl(world: Recorded) -> None:
    """One for each target in order.

    None to the page itself, to invalid addresses, or with nofollow.
    """
    assert page(world, A).links == (
        Link(B, fingerprint(B), "two", "see two here", (), 0),
        Link(NOWHERE, fingerprint(NOWHERE), "", "", ("external",), 1),
    )


def test_time_zero_is_the_latest_date(world: Recorded) -> None:
    """ISO dates and Unix seconds are both accepted; a page without a date has none."""
    assert page(world, B).changed_at_s == 0.0
    assert page(world, A).changed_at_s == -86400.0
    assert page(world, C).changed_at_s is None


def test_a_page_given_as_html_is_read_as_in_a_crawl(world: Recorded) -> None:
    """Twice with the same result, although it is read only once."""
    first, second = page(world, C), page(world, C)
    assert first == second
    assert (first.title, first.text.split(".")[0]) == ("Three", "Sea")
    assert [(link.url, link.anchor) for link in first.links] == [(A, "to one")]
    assert first.links[0].tag_path.endswith("p")


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("http://a.test/gone", Dead("status 410", Cost(0.1, 0.1, 0, 1))),
        ("http://a.test/none", Dead("status 404", Cost(0.1, 0.1, 0, 1))),
        ("mailto:box", Dead("status 404", Cost(0.1, 0.1, 0, 1))),
        ("http://a.test/closed", Refused(Cost(0.0, 0.0, 0, 1))),
        ("http://b.test/", Dead("timeout", Cost(30.0, 30.0, 0, 1))),
        ("http://a.test/around", Dead("too many redirects", Cost(2.1, 2.1, 0, 21))),
    ],
)
def test_requests_without_a_page_have_costs(world: Recorded, url: str, outcome: object) -> None:
    """For errors, refusals, time-outs and redirect loops every request counts."""
    got = world.fetch(url, 0.0)
    assert isinstance(got, Dead | Refused)
    assert type(got) is type(outcome)
    assert getattr(got, "reason", "") == getattr(outcome, "reason", "")
    assert (got.cost.seconds, got.cost.requests) == pytest.approx(
        (outcome.cost.seconds, outcome.cost.requests)  # type: ignore[attr-defined]
    )


def test_a_redirect_costs_both_requests(world: Recorded) -> None:
    """The document is the one at the end, and has its address."""
    arrived = world.fetch("http://a.test/moved", 0.0)
    assert isinstance(arrived, Arrived)
    assert arrived.document.url == B
    assert (arrived.cost.seconds, arrived.cost.requests) == (3.5, 2)


def test_a_page_of_a_topic_belongs_to_the_topics_above(world: Recorded) -> None:
    """A page that cannot be fetched belongs to no topic."""
    assert world.topics() == ("Nature", "Nature.Birds", "Nature.Sea")
    assert world.about("Nature") == {fingerprint(url) for url in (A, B, C)}
    assert world.about("Nature.Birds") == {fingerprint(url) for url in (A, B)}
    with pytest.raises(KeyError):
        world.about("Birds")


def test_only_entries_that_can_be_fetched_are_pages(world: Recorded) -> None:
    """Redirects, errors, time-outs and forbidden pages are not counted, nor searched."""
    assert [document.url for document in world.documents()] == [A, B, C]
    assert len(world) == 3
    assert world.search("bird", 9) == [B, A]


def test_robots_txt_forbids_the_forbidden_pages_alone(world: Recorded) -> None:
    """As the robots gate of a live crawl reads it."""
    from evocrawl.politeness.robots.rules import RobotsRules

    rules = RobotsRules.from_response(200, world.robots_txt("a.test").encode(), "evocrawl")
    assert not rules.allows("http://a.test/closed")
    assert rules.allows("http://a.test/closed/more")
    assert rules.allows(A)
    assert world.robots_txt("b.test") == ""


def test_the_first_of_two_pages_with_one_address_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A warning gives the number of others."""
    rows = [{"url": A, "text": "first"}, {"url": f"{A}#x", "text": "second"}]
    with caplog.at_level(logging.WARNING):
        world = Recorded.read(write_rows(tmp_path / "w.jsonl", rows))
    assert (len(world), world.duplicates, page(world, A).text) == (1, 1, "first")
    assert "ignored 1 duplicate pages" in caplog.text


def test_packed_files_are_recognised_by_their_first_bytes(tmp_path: Path, world: Recorded) -> None:
    """gzip and zstd, with any file name."""
    import zstandard

    raw = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    for name, packed in (("g", gzip.compress(raw)), ("z", zstandard.compress(raw))):
        (tmp_path / name).write_bytes(packed)
        again = Recorded.read(tmp_path / name)
        assert list(again.documents()) == list(world.documents())


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        ("{", "", "not JSON"),
        ("[1]", "", "must be a JSON object"),
        ("[" * 100_000, "", "not JSON"),
        ('{"title": "x"}', "url", "is missing"),
        ('{"url": 3}', "url", "must be a string"),
        ('{"url": "ftp://a.test/"}', "url", "not an http or https URL"),
        ('{"url": "http://a.test/", "text": ["x"]}', "text", "must be a string"),
        ('{"url": "http://a.test/", "links": {}}', "links", "must be a list"),
        ('{"url": "http://a.test/", "links": [{"url": "x"}, "y"]}', "links[1]", "an object"),
        ('{"url": "http://a.test/", "links": [{}]}', "links[0].url", "must be a string"),
        ('{"url": "http://a.test/", "links": [{"url": "x", "anchor": 1}]}', "links[0].anchor", ""),
        ('{"url": "http://a.test/", "topics": "A.B"}', "topics", "list of names"),
        ('{"url": "http://a.test/", "date": "yesterday"}', "date", "ISO 8601"),
        ('{"url": "http://a.test/", "date": NaN}', "date", "must be a number"),
        ('{"url": "http://a.test/", "status": 99}', "status", "HTTP status"),
        ('{"url": "http://a.test/", "status": true}', "status", "must be a number"),
        ('{"url": "http://a.test/", "latency_s": -1}', "latency_s", "at least 0"),
        ('{"url": "http://a.test/", "latency_s": 1e999}', "latency_s", "at least 0"),
        ('{"url": "http://a.test/", "robots": "maybe"}', "robots", "must be one of allow"),
        ('{"url": "http://a.test/", "redirect_to": 1}', "redirect_to", "must be a string"),
    ],
)
def test_a_bad_line_is_named_with_its_field(
    tmp_path: Path, line: str, field: str, problem: str
) -> None:
    """Blank lines count as lines, as in an editor."""
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"url": "http://good.test/"}}\n\n{line}\n')
    with pytest.raises(WorldError) as caught:
        Recorded.read(path)
    assert (caught.value.line, caught.value.field) == (3, field)
    assert problem in caught.value.problem
    assert "bad.jsonl, line 3" in str(caught.value)


def test_a_message_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    """Text of the file is shown escaped and shortened."""
    path = write_rows(tmp_path / "w.jsonl", [{"url": A, "robots": "\x1b[2J" + "é" * 99}])
    with pytest.raises(WorldError) as caught:
        Recorded.read(path)
    assert str(caught.value).isprintable()
    assert len(caught.value.problem) < 200


def test_a_broken_archive_is_an_error_of_the_file(tmp_path: Path) -> None:
    """If it is incomplete, or has a flipped bit."""
    packed = gzip.compress(b'{"url": "http://a.test/"}\n' * 99)
    path = tmp_path / "w.jsonl.gz"
    for broken in (packed[:-9], packed[:-6] + b"\xff" + packed[-5:]):
        path.write_bytes(broken)
        with pytest.raises(WorldError, match="archive is damaged"):
            Recorded.read(path)


def test_a_broken_zstd_archive_is_an_error_of_the_file(tmp_path: Path) -> None:
    """Of another library, by the same name."""
    path = tmp_path / "w.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 30)
    with pytest.raises(WorldError, match="archive is damaged"):
        Recorded.read(path)


def test_a_file_without_a_page_is_no_world(tmp_path: Path) -> None:
    """Nor is one that is not there."""
    with pytest.raises(WorldError, match="no page"):
        Recorded.read(write_rows(tmp_path / "w.jsonl", []))
    with pytest.raises(FileNotFoundError):
        Recorded.read(tmp_path / "none.jsonl")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
KEYS = ("title", "text", "html", "links", "topics", "lang", "date", "status", "latency_s",
        "redirect_to", "robots", "more")  # fmt: skip


@given(st.dictionaries(st.sampled_from(KEYS), JSON), st.sampled_from([A, "http://ü.test/\ud800"]))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_line_is_a_page_or_an_error_with_its_line(
    tmp_path: Path, row: dict[str, Any], url: str
) -> None:
    """And a page that is taken can be fetched."""
    path = write_rows(tmp_path / "w.jsonl", [{"url": B}, {"url": url, **row}])
    error = None
    try:
        world = Recorded.read(path)
    except WorldError as raised:
        error = raised
    if error is not None:
        assert error.line == 2
        assert str(error).isprintable()
        return
    world.fetch(url, 0.0)
    assert len(list(world.documents())) == len(world)
