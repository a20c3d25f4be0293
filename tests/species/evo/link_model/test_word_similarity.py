"""Similarities of links to the query and to the good pages, by word vectors."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model.hashing import LINK_WIDTH, URL, Hasher, plain
from evocrawl.species.evo.link_model.word_similarity import SIMILARITIES, WordSimilarity

SEA, ROAD = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
VECTORS = {"coral": SEA, "reef": (0.8, 0.0, 0.6), "polyp": (0.6, 0.0, 0.8), "road": ROAD}
Reals = npt.NDArray[np.float32]


def vector_of(word: str) -> Reals:
    """Return the vector of a word of the small table; zeros for other words."""
    return np.array(VECTORS.get(word, (0, 0, 0)), np.float32)


def links_of(
    similarity: WordSimilarity, hasher: Hasher, texts: list[tuple[str, str, str]]
) -> Reals:
    """Return the similarities of links, given by anchor, context and URL."""
    own = hasher.links((anchor, context, "") for anchor, context, _ in texts)
    urls = hasher.urls(url for _, _, url in texts)
    lengths = np.stack((*similarity.link_lengths(own), similarity.url_lengths(urls)), axis=1)
    return similarity.of_links(plain(np.concatenate((own, urls), axis=1)), lengths)


def page(similarity: WordSimilarity, hasher: Hasher, text: str) -> None:
    """Add a page with this text."""
    similarity.add_page(*hasher.page("", text))


def test_a_related_word_makes_a_link_similar_to_the_query() -> None:
    """Each field has its own value; a word without a vector changes nothing."""
    similarity = WordSimilarity(vector_of("coral"), vector_of)
    hasher = Hasher(Analyser("en"), similarity.meet)
    texts = [("reef", "road", "/coral"), ("reef unheard", "", "/road"), ("", "", "")]
    found = links_of(similarity, hasher, texts)
    assert found[:, :3] / 3 == pytest.approx(np.array([[0.8, 0, 1], [0.8, 0, 0], [0, 0, 0]]))


def test_good_pages_move_the_similarity_towards_their_words() -> None:
    """Before the first good page, the good pages are the query."""
    similarity = WordSimilarity(vector_of("coral"), vector_of)
    hasher = Hasher(Analyser("en"), similarity.meet)
    texts = [("polyp", "", ""), ("road", "", "")]
    before = links_of(similarity, hasher, texts)
    assert before[:, 3:] == pytest.approx(before[:, :3])
    for _ in range(8):
        page(similarity, hasher, "polyp polyp")
        page(similarity, hasher, "road road")
    similarity.refit(np.tile([1.0, 0.0], 8))
    polyp, road = links_of(similarity, hasher, texts)[:, 3].tolist()
    assert polyp > before[0, 3]
    assert road < 0


def test_pages_that_are_not_good_leave_the_query_in_place() -> None:
    """Labels below one half choose no page."""
    similarity = WordSimilarity(vector_of("coral"), vector_of)
    hasher = Hasher(Analyser("en"), similarity.meet)
    for _ in range(8):
        page(similarity, hasher, "road")
    similarity.refit(np.full(8, 0.4))
    found = links_of(similarity, hasher, [("coral", "", "")])
    assert found[0, 3] == pytest.approx(3.0)


@pytest.mark.parametrize("arguments", [(), (np.zeros(3, np.float32), vector_of)])
def test_a_query_without_vectors_makes_every_similarity_0(arguments: tuple[Any, ...]) -> None:
    """Words get no vector either."""
    similarity = WordSimilarity(*arguments)
    hasher = Hasher(Analyser("en"), similarity.meet)
    page(similarity, hasher, "coral reef")
    similarity.refit(np.ones(1))
    assert similarity.is_blind
    assert not links_of(similarity, hasher, [("coral", "reef", "/road")]).any()


def test_the_first_word_of_a_bucket_gives_its_vector() -> None:
    """A later word of the same bucket changes no link that is stored."""
    similarity = WordSimilarity(vector_of("coral"), vector_of)
    similarity.meet("coral", 7)
    similarity.meet("road", 7)
    ids = np.zeros((1, LINK_WIDTH + URL.width), np.uint16)
    ids[0, 0] = 7
    assert similarity.of_links(ids, np.ones((1, 3), np.float32))[0, 0] == pytest.approx(3.0)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.lists(st.sampled_from([*VECTORS, "x", "y"]), max_size=8)] * 3),
        min_size=1, max_size=6,
    ),
    st.lists(st.floats(0, 1), max_size=12),
)  # fmt: skip
def test_similarities_are_cosines_of_the_words_kept(
    links: list[tuple[list[str], list[str], list[str]]], labels: list[float]
) -> None:
    """Anchors and URLs against a plain computation; all values finite, within the scale."""
    similarity = WordSimilarity(vector_of("coral") + vector_of("reef"), vector_of)
    hasher = Hasher(Analyser("en"), similarity.meet)
    for number in range(len(labels)):
        page(similarity, hasher, ["coral polyp", "road", "x"][number % 3])
    similarity.refit(np.array(labels))
    texts = [(" ".join(a), " ".join(c), "/" + "/".join(u)) for a, c, u in links]
    found = links_of(similarity, hasher, texts)
    assert found.shape == (len(links), SIMILARITIES)
    assert np.abs(found).max() <= 3.001
    query = vector_of("coral") + vector_of("reef")
    for (anchor, _, url), row in zip(links, found, strict=True):
        for words, value in ((list(dict.fromkeys(anchor))[:6], row[0]), (url[-6:], row[2])):
            total = sum(map(vector_of, dict.fromkeys(words)), np.zeros(3))
            length = np.linalg.norm(total) * np.linalg.norm(query)
            assert value == pytest.approx(3 * total @ query / max(length, 1e-9), abs=1e-3)


def numbered(word: str) -> Reals:
    """Return the vector (1, n) of the word wn."""
    return np.array([1.0, int(word[1:])], np.float32)


def test_more_words_than_the_first_rows_keep_their_vectors() -> None:
    """The table of vectors grows."""
    similarity = WordSimilarity(numbered("w0"), numbered)
    for number in range(300):
        similarity.meet(f"w{number}", number + 1)
    ids = np.zeros((300, LINK_WIDTH + URL.width), np.uint16)
    ids[:, 0] = np.arange(1, 301)
    lengths = np.hypot(1.0, np.arange(300.0)).astype(np.float32)
    found = similarity.of_links(ids, np.stack((lengths,) * 3, axis=1))
    assert found[:, 0] == pytest.approx(3 / lengths)
