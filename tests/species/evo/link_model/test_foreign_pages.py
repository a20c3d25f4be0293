"""Pages of other populations that are read in one step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.evidence import FAR
from evocrawl.species.evo.link_model.hashing import PAGE_WORDS
from evocrawl.species.evo.link_model.page_words import PageWords, pack_words, unpack_words

WORDS = ("coral", "reef", "road", "café", "")
_urls = st.sampled_from([f"http://{host}.test/{name}" for host in "ab" for name in "12345"])
_links = st.builds(
    lambda url, *texts: Link(url, fingerprint(url), *texts),
    _urls,
    st.sampled_from(WORDS),
    st.sampled_from(("", "coral reefs near the road")),
    st.just(()),
    st.just(0),
    st.sampled_from(("body/a", "ul/li/a")),
)
_pages = st.builds(
    lambda url, relevance, links, words: Page(
        url, fingerprint(url), relevance, 0.0, tuple(links), content=Content(*words)
    ),
    _urls,
    st.sampled_from((0.0, 0.1, 0.9)),
    st.lists(_links, max_size=9),
    st.tuples(st.sampled_from(WORDS), st.sampled_from(("", "a reef", "a road to a coral reef"))),
)
TABLES = ("pages", "targets", "links", "groups")


def taught(own: list[Page]) -> LinkModel:
    """Return a model that has seen pages of its own."""
    model = LinkModel(
        lambda anchor, context: 0.8 * ("coral" in anchor) + 0.2 * ("coral" in context),
        Analyser("en"), 0.2, prior.shipped(),
    )  # fmt: skip
    for page in own:
        model.observe_page(page, None)
    return model


@given(st.lists(_pages, max_size=4), st.lists(_pages, min_size=1, max_size=8))
@settings(max_examples=60)
def test_pages_read_in_one_step_leave_the_evidence_as_if_read_one_by_one(
    own: list[Page], foreign: list[Page]
) -> None:
    """To the bit, also if a page is there twice, is known, or is linked by another one; and with
    the digests of the pages as with their texts.
    """
    together, apart = taught(own), taught(own)
    digests = [together.read_digest(together.digest(page)) for page in foreign]
    rows = together.observe_foreign_pages(foreign, digests)
    assert rows == [apart.observe_foreign_pages([page], [None])[0] for page in foreign]
    for name in TABLES:
        one, other = (getattr(model.evidence, name) for model in (together, apart))
        assert len(one) == len(other)
        for column in one._columns if hasattr(one, "_columns") else one._new.dtype.names:
            assert np.array_equal(one[column][: len(one)], other[column][: len(one)]), column
    every = np.arange(len(together.evidence.targets))
    assert np.array_equal(together.features(every), apart.features(every))
    for model in (together, apart):
        model.refit()
    assert np.array_equal(together.features(every), apart.features(every))


def test_a_page_of_others_is_as_far_from_a_good_page_as_its_own_population_knows() -> None:
    """The links to it are on pages that are shown to its own population alone."""
    urls = [f"http://{name}.test/" for name in "abcd"]
    links = [Link(url, fingerprint(url), "road") for url in urls]
    relevances = (0.9, 0.0, 0.0)
    pages = [
        Page(url, fingerprint(url), relevance, 0.0, (link,))
        for url, relevance, link in zip(urls[:3], relevances, links[1:], strict=True)
    ]
    finder, other, unaware = taught([]), taught([]), taught([])
    for number, page in enumerate(pages):
        digest = finder.read_digest(finder.digest(page))
        assert digest.distance == number
        finder.observe_page(page, finder.row_of(page.fingerprint))
    assert finder.evidence.pages["distance"][:3].tolist() == [0, 1, 2]
    other.observe_foreign_pages([pages[2]], [digest])
    unaware.observe_foreign_pages([pages[2]], [None])
    assert other.evidence.pages["distance"][0] == 2
    assert unaware.evidence.pages["distance"][0] == FAR
    of_link = [
        model.features(np.array([model.row_of(links[3].fingerprint)]))[
            0, FEATURES.index("distance")
        ]
        for model in (finder, other)
    ]
    assert of_link[0] == of_link[1]


@given(st.binary(max_size=800))
@example(b"\5\0\0\0\0\0`")
def test_any_bytes_are_words_of_length_1_at_most_or_refused(packed: bytes) -> None:
    """Any client of Redis can write them."""
    try:
        ids, weights, distance = unpack_words(packed)
    except ValueError:
        return
    assert ids.shape == weights.shape == (PAGE_WORDS,)
    assert np.linalg.norm(weights) <= 1.001
    assert (weights >= 0).all()
    assert 0 <= distance <= FAR


def test_a_distance_that_no_page_has_is_refused() -> None:
    packed = bytearray(pack_words(PageWords(np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS))))
    assert unpack_words(bytes(packed)).distance == FAR
    packed[0] += 1
    with pytest.raises(ValueError, match="distance"):
        unpack_words(bytes(packed))


@pytest.mark.parametrize("weights", [(0.8, 0.9), (float("nan"), 0.1), (-0.5, 0.5), (9e9, 0)])
def test_weights_that_no_page_has_are_refused(weights: tuple[float, float]) -> None:
    ids = np.zeros(PAGE_WORDS, np.uint16)
    values = np.zeros(PAGE_WORDS, np.float32)
    ids[:2], values[:2] = (3, 4), weights
    with pytest.raises(ValueError, match="length 1"):
        unpack_words(pack_words(PageWords(ids, values)))
