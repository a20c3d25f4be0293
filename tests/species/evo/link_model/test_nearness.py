"""Before a crawl has found good pages, links are scored by their nearness in meaning."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evocrawl import relevance
from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.terms import Analyser, link_analyser_of
from evocrawl.relevance.vectors.model import query_vectors_of
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.evidence import LinkGraph
from evocrawl.species.evo.link_model.latest_words import LatestWords
from evocrawl.species.evo.link_model.nearness import Nearness
from evocrawl.species.evo.link_model.persistence import from_state, to_state
from evocrawl.species.evo.link_model.profile import NEEDED

SEA, LAND, OTHER = ("coral", "polyp", "lagoon"), ("tax", "ledger"), ("glass", "violin")


class ThreeSubjects:
    """Words of the sea, of the land, and others; each subject has its own direction."""

    query = np.array([2.0, 0.0, 0.0], np.float32)

    def of_words(self, words: Sequence[str]) -> np.ndarray:
        """Return a row for each word."""
        subjects = (SEA, LAND, OTHER)
        return np.array([[5.0 * (word in each) for each in subjects] for word in words], np.float32)


def fresh(*, has_vectors: bool = True) -> LinkModel:
    """Return a model that matches no word with the query."""
    vectors = ThreeSubjects() if has_vectors else None
    return LinkModel(lambda _, __: 0.0, Analyser("en"), 0.2, prior.shipped(), vectors=vectors)


def link(name: str, anchor: str = "", context: str = "") -> Link:
    """A link to a page of one host."""
    url = f"http://a.test/{name}"
    return Link(url, fingerprint(url), anchor, context)


def page(name: str, relevance: float, *links: Link, text: str = "stone") -> Page:
    """A page of one host."""
    url = f"http://a.test/{name}"
    return Page(url, fingerprint(url), relevance, 0.0, links, content=Content("", text))


def near(model: LinkModel, rows: Sequence[int]) -> list[float]:
    """Return the feature of targets."""
    column: list[float] = model.features(np.array(rows))[:, FEATURES.index("near_query")].tolist()
    return column


def worths(model: LinkModel, rows: Sequence[int]) -> list[float]:
    """Return the scores of targets."""
    scores: list[float] = model.scores(model.features(np.array(rows))).tolist()
    return scores


def test_a_link_of_similar_meaning_is_followed_first_without_matching_words() -> None:
    """By its anchor, its context or its address; an unknown word is between near and far."""
    model = fresh()
    links = [
        link("1", "lagoon"), link("2", "here", "polyp coral"), link("coral/lagoon"),
        link("3", "zzz"), link("4", "ledger"),
    ]  # fmt: skip
    rows = [*model.observe_page(page("seed", 0.0, *links), None).values()]
    *close, unknown, far = near(model, rows)
    assert min(close) > unknown == 0 > far
    assert min(worths(model, rows)[:3]) > worths(model, rows)[3] > worths(model, rows)[4]


def test_the_nearest_link_to_a_target_counts() -> None:
    """A later link with better words raises its target."""
    model = fresh()
    links = [link("x", "ledger"), link("y", "lagoon"), link("z", "violin")]
    rows = model.observe_page(page("seed", 0.0, *links), None)
    row = rows[link("x").fingerprint]
    before = near(model, [row])[0]
    model.observe_page(page("more", 0.0, link("x", "coral")), None)
    assert near(model, [row])[0] > 0 > before


def test_no_link_is_preferred_if_all_are_near() -> None:
    """On a web about one subject, links are compared with each other."""
    model = fresh()
    links = [link(str(n), SEA[n % 3]) for n in range(400)]
    rows = [*model.observe_page(page("seed", 0.0, *links), None).values()]
    alone = fresh()
    usual = [*alone.observe_page(page("seed", 0.0, links[0]), None).values()]
    assert max(near(model, rows)) < 0.4 * near(alone, usual)[0]


def test_good_pages_replace_the_nearness() -> None:
    """Its weight falls with each of them; other pages change nothing."""
    model = fresh()
    rows = model.observe_page(page("seed", 0.0, link("1", "coral"), link("2", "tax")), None)
    row = rows[link("1").fingerprint]
    first = near(model, [row])[0]
    model.observe_page(page("bad", 0.05), None)
    assert near(model, [row])[0] == pytest.approx(first)
    for number in range(NEEDED):
        assert near(model, [row])[0] == pytest.approx(first * (1 - number / NEEDED))
        model.observe_page(page(f"good{number}", 0.9), None)
    assert near(model, [row]) == [0]


@pytest.mark.parametrize(("near_query", "strength"), [(0, 1.0), (22, 0.28), (40, 0.0)])
def test_nearness_stays_on_a_general_web(near_query: int, strength: float) -> None:
    """Where few links are near the query, good pages do not replace it; in between, in part."""
    model = fresh()
    words = [SEA[n % 3] if n % 100 < near_query else OTHER[n % 2] for n in range(900)]
    links = [link(f"{word}/{n}", word, word) for n, word in enumerate(words)]
    model.observe_page(page("seed", 0.0, *links), None)
    assert model.nearness.strength == 1
    for number in range(NEEDED):
        model.observe_page(page(f"good{number}", 0.9), None)
    assert model.nearness.strength == pytest.approx(strength, abs=0.01)


def test_a_web_is_not_general_before_there_are_links() -> None:
    """A few links far from the query do not keep the nearness."""
    model = fresh()
    links = [link(f"{word}/{n}", word, word) for n, word in enumerate(OTHER * 5)]
    model.observe_page(page("seed", 0.0, *links), None)
    for number in range(NEEDED):
        model.observe_page(page(f"good{number}", 0.9), None)
    assert model.nearness.strength == 0


def test_a_page_that_a_user_marks_as_relevant_counts_as_found() -> None:
    """A page that is marked as not relevant does not."""
    model = fresh()
    model.observe_page(page("seed", 0.0, link("1", "coral")), None)
    model.mark(page("seed", 0.0).fingerprint, relevant=False)
    assert model.nearness.strength == 1
    model.mark(page("seed", 0.0).fingerprint, relevant=True)
    assert model.nearness.strength == pytest.approx(1 - 1 / NEEDED)


def test_without_word_vectors_no_link_is_near() -> None:
    """With a relevance model or a language without them."""
    model = fresh(has_vectors=False)
    rows = [*model.observe_page(page("seed", 0.0, link("1", "coral")), None).values()]
    assert near(model, rows) == [0]


def test_a_crawl_with_good_pages_of_an_earlier_one_begins_without_nearness() -> None:
    """Their words are a better measure."""
    earlier, heir = fresh(), fresh()
    for number in range(20):
        is_good = number % 2 == 0
        text = "polyp symbiosis" if is_good else "ledger invoice"
        earlier.observe_page(page(str(number), 0.6 * is_good, text=text), None)
    earlier.refit()
    assert earlier.profile.label_share > 0
    assert heir.nearness.strength == 1
    from_state(heir, to_state(earlier))
    assert heir.nearness.strength == 0


def test_good_pages_of_another_worker_count() -> None:
    """As soon as it has shared them; a worker without good pages changes nothing."""
    finder, other = fresh(), fresh()
    for number in range(NEEDED):
        finder.observe_page(page(str(number), 0.9), None)
    learnt, sharing = finder.share(), other.share()
    sharing.merge([fresh().share().part()])
    assert other.nearness.strength == 1
    sharing.merge([learnt.part()])
    assert other.nearness.strength == 0


def test_populations_compare_links_with_those_of_all() -> None:
    """Each knows from all links that the web is general, which it cannot tell from its own."""
    anchors = ("coral", "tax", "ledger", "violin", "glass", "tax") * 40
    whole, several = fresh(), [fresh() for _ in range(6)]
    sharing = [each.share() for each in several]
    for number, anchor in enumerate(anchors):
        of_page = page(f"of{number}", 0.0, link(f"to{number}", anchor, anchor))
        whole.observe_page(of_page, None)
        several[number // 40].observe_page(of_page, None)
    for model in (whole, *several):
        model.nearness.stop()
        model._compare()
    alone = [each.nearness.strength for each in several]
    parts = [each.part() for each in sharing]
    for number, each in enumerate(sharing):
        for _ in range(2):
            each.merge([part for other, part in enumerate(parts) if other != number])
        ours, theirs = several[number].nearness, whole.nearness
        assert np.allclose(ours._mean, theirs._mean)
        assert np.allclose(ours._spread, theirs._spread)
        assert ours.strength == pytest.approx(theirs.strength)
    assert whole.nearness.strength > 0.05 > max(alone)
    assert all(np.array_equal(each.part().cosines, part.cosines)
               for each, part in zip(sharing, parts, strict=True))  # fmt: skip


words = st.one_of(
    st.sampled_from((*SEA, *LAND, *OTHER, "coral tax", "zzz", "")), st.text(max_size=9)
)


@settings(max_examples=60)
@given(st.lists(st.lists(st.tuples(words, words), max_size=5), max_size=6))
def test_nearness_is_bounded_for_any_words(crawl: list[list[tuple[str, str]]]) -> None:
    """For any order of the words."""
    model = fresh()
    for number, links in enumerate(crawl):
        made = [link(f"{number}/{n}{a}", a, c) for n, (a, c) in enumerate(links)]
        model.observe_page(page(str(number), 0.0, *made), None)
    found = model.features(np.arange(len(model.evidence.targets)))[:, FEATURES.index("near_query")]
    assert (np.abs(found) <= 1 + 1e-9).all()


def test_links_are_scored_by_the_vectors_of_the_relevance_model() -> None:
    """Those of the default mix; a mix without them, and Latin of an unknown language, have none."""
    vectors = query_vectors_of(relevance.create("tfidf+vectors", "coral reef", "en"))
    assert vectors is not None
    nearness = Nearness(vectors)
    model = LinkModel(
        lambda _, __: 0.0, link_analyser_of("coral reef", "en"), 0.2, prior.shipped(),
        vectors=vectors,
    )  # fmt: skip
    links = [link("1", "seaweed and fishes"), link("2", "tax law"), link("3", "railway stations")]
    rows = [*model.observe_page(page("seed", 0.0, *links), None).values()]
    sea, *others = near(model, rows)
    assert sea > max(others)
    assert nearness.strength == 1
    assert query_vectors_of(relevance.create("tfidf", "coral reef", "en")) is None
    assert query_vectors_of(relevance.create("tfidf+vectors", "korallrev i havet", "sv")) is None


def test_the_vectors_of_words_are_those_of_texts_of_one_word() -> None:
    """Of stems, compounds that the table lacks, and unknown words."""
    vectors = query_vectors_of(relevance.create("vectors", "coral reef", "en"))
    assert vectors is not None
    asked = ["corals", "seafloor", "reefshark", "zzzqqq", "", "naïve"]
    together = vectors.of_words(asked)
    each = [vectors.embedding.of_text(word) for word in asked]
    assert np.array_equal(together, np.array(each))
    assert not together[3].any()
    assert together[0].any()


def words_in_tables(evidence: LinkGraph) -> list[list[int]]:
    every = evidence.links.take(np.arange(len(evidence.links)))
    of_urls = evidence.targets.get("words", every["target"])
    return np.concatenate((every["words"], of_urls), axis=1).tolist()  # type: ignore[no-any-return]


def test_the_words_in_memory_are_those_of_the_tables() -> None:
    """Also after a resume, which begins with none in memory."""
    model = fresh()
    for number in range(6):
        links = [link(f"{number % 4}/{n}", f"reef {n}", "sea") for n in range(number)]
        model.observe_page(page(f"p{number}", 0.1, *links), None)
        expected = words_in_tables(model.evidence)
        assert model.evidence.latest_words().tolist() == expected
        if number == 3:
            model.evidence._latest = LatestWords(1024)
            assert model.evidence.latest_words().tolist() == expected
    assert len(expected) > 10
