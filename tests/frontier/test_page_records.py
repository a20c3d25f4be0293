"""Records and links of pages that move to disk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Lead
from evocrawl.frontier.page_links import PageLinks
from evocrawl.frontier.page_records import PageRecord, Pages

STEPS = st.lists(st.tuples(st.integers(0, 9), st.floats(-5, 5)), max_size=60)


def page(number: int) -> bytes:
    """Return a fingerprint."""
    return b"%012d" % number


@given(STEPS, st.integers(1, 4))
def test_the_latest_version_of_a_record_is_kept(steps: list[tuple[int, float]], most: int) -> None:
    """This holds with one to four of ten records in memory."""
    pages, model = Pages(most), dict[bytes, PageRecord]()
    for number, energy in steps:
        key = page(number)
        record = pages.get(key)
        assert record == model.get(key)
        assert pages.relevance_of(key) == (0.0 if record is None else record.relevance)
        if record is None:
            record = PageRecord(f"http://a.test/{number}", energy / 10, energy, None, 1, b"v")
        record.energy = energy
        pages.put(key, record)
        model[key] = PageRecord(record.url, record.relevance, energy, None, 1, b"v")
        assert set(pages) == set(model)
    assert {key: pages[key] for key in pages} == model


LINKS = st.lists(
    st.tuples(st.sampled_from(["put", "forget"]), st.integers(0, 5), st.integers(1, 4)), max_size=40
)


@given(LINKS, st.integers(1, 8))
def test_the_latest_version_of_links_is_kept(steps: list[tuple[str, int, int]], most: int) -> None:
    """This holds for links that cannot be packed, too."""
    links, model = PageLinks(most), dict[bytes, list[Lead]]()
    for action, number, count in steps:
        key = page(number)
        if action == "put":
            payload = object() if number == 0 else None
            model[key] = [
                Lead(f"http://a.test/{at}", page(at), "a.test", key, 1, 0.5, "", payload, (at,))
                for at in range(count)
            ]
            links.put(key, [*model[key]])
        else:
            links.forget(key)
            model.pop(key, None)
        for each in map(page, range(6)):
            expected = model.get(each, [])
            last = expected[-1].fingerprint if expected else None
            assert links.last_target(each) == last
            assert links.get(each) == expected
            assert [lead.payload for lead in links.get(each)] == [x.payload for x in expected]
