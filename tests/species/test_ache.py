"""The adaptive crawler: levels, and learning about links."""

import pytest
from crawled import Pages, order, to
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Cost, Dead, Fetched, Lead, Link, Outcome, Page, Visit
from evocrawl.frontier.relevance_ranks import RelevanceRanks
from evocrawl.species.ache import LinkLearner
from evocrawl.species.naive_bayes import FEATURES, NaiveBayes, Words, link_words
from evocrawl.species.parts import Bar


def learner() -> LinkLearner:
    """Return a learner without warm-up; pages are relevant from 0.5 on."""
    return LinkLearner(Bar(RelevanceRanks([0.0, 0.5, 0.9]), 0.5, 0.1), warm_up=0)


def learn(
    taught: LinkLearner, words: Words, source: bytes, target: bytes, relevance: float
) -> None:
    """Learn a link with these words from `source` to a page of this relevance."""
    lead = Lead("http://a.test/", target, "a.test", source, 1, 0.0, features=words)
    page = Page("http://a.test/", target, relevance, 0.0)
    settle(taught, lead, Fetched(page, Cost()))


def settle(taught: LinkLearner, lead: Lead, outcome: Outcome) -> None:
    """Settle a visit."""
    taught.learn(None, Visit(1, 1, lead, 0.0), outcome)  # type: ignore[arg-type]


def test_links_with_the_words_of_good_links_come_first() -> None:
    """After the warm-up of 100 links the word that led to relevant ones is known."""
    good, poor = [f"g{n}" for n in range(80)], [f"p{n}" for n in range(80)]
    mixed = [
        to(name, f"{'fossil' if name[0] == 'g' else 'stock'} item")
        for pair in zip(good, poor, strict=True)
        for name in pair
    ]
    web: Pages = {
        "seed": (0.5, mixed),
        **{name: (0.9, []) for name in good},
        **{name: (0.0, []) for name in poor},
    }
    visited = order("ache", web, most=200)
    assert visited[1:101] == [link.url.rsplit("/", 1)[1] for link in mixed[:100]]
    assert set(visited[101:131]) == set(good[50:])
    assert set(visited) == set(web)


def test_a_link_to_a_hub_is_better_than_a_link_to_nothing() -> None:
    """A link to a page with a link to a relevant page has level 1."""
    taught = learner()
    hub, gem, junk = (1,), (2,), (3,)
    for number in range(20):
        hub_page, gem_page, junk_page = (bytes([kind, number]) for kind in range(3))
        learn(taught, hub, b"seed", hub_page, 0.0)
        learn(taught, gem, hub_page, gem_page, 0.9)
        learn(taught, junk, b"seed", junk_page, 0.0)
    assert taught.model.examples.tolist() == [20, 20, 20]
    assert taught.priority(gem) > 200 > taught.priority(hub) > 100 > taught.priority(junk)


def test_a_hub_counts_once_however_many_relevant_pages_it_links_to() -> None:
    """Its example changes level the first time only."""
    taught = learner()
    learn(taught, (1,), b"seed", b"hub", 0.0)
    for number in range(5):
        learn(taught, (2,), b"hub", bytes([number]), 0.9)
    assert taught.model.examples.tolist() == [5, 1, 0]


def test_a_dead_link_is_an_example_of_the_last_level() -> None:
    """It leads to no page."""
    taught = learner()
    settle(
        taught,
        Lead("http://a.test/", b"x", "a.test", b"", 1, 0.0, features=(1,)),
        Dead("404", Cost()),
    )
    assert taught.model.examples.tolist() == [0, 0, 1]


def test_probabilities_are_those_of_naive_bayes() -> None:
    """Computed by hand: two classes, one example each, smoothing 1."""
    model = NaiveBayes(2, smoothing=1.0)
    model.learn((5, 6), 0)
    model.learn((6,), 1)
    first = 2 * (2 / (2 + FEATURES))
    second = 2 * (1 / (1 + FEATURES))
    expected = [first / (first + second), second / (first + second)]
    assert model.probabilities((5,)) == pytest.approx(expected)


def test_one_class_alone_gives_finite_probabilities() -> None:
    """Until there is a second one."""
    model = NaiveBayes(3)
    model.learn((1, 2), 0)
    assert sum(model.probabilities((1, 9))) == pytest.approx(1.0)
    assert sum(NaiveBayes(3).probabilities(())) == pytest.approx(1.0)


words = st.lists(st.integers(0, FEATURES - 1), unique=True, max_size=72).map(lambda w: tuple(w))


@given(st.lists(st.tuples(words, st.integers(0, 2)), max_size=20), words)
def test_a_removed_example_has_no_effect(taught: list[tuple[Words, int]], asked: Words) -> None:
    """Counts are whole numbers, so the removal is exact."""
    model, other = NaiveBayes(3), NaiveBayes(3)
    for each, label in taught:
        model.learn(each, label)
        other.learn(each, label)
    other.learn(asked, 1)
    other.learn(asked, 1, -1.0)
    assert model.probabilities(asked) == other.probabilities(asked)


@given(st.text(), st.text(), st.text())
def test_words_of_any_link_are_a_bounded_number_of_features(
    url: str, anchor: str, context: str
) -> None:
    """This holds for hostile text, too."""
    numbers = link_words(Link(url, b"", anchor, context))
    assert len(numbers) <= 72
    assert all(0 <= number < FEATURES for number in numbers)


def test_the_same_word_in_anchor_and_url_is_two_features() -> None:
    """The fields have separate features."""
    assert len(link_words(Link("http://a.test/fossil", b"", "fossil", "fossil"))) == 3


def test_the_bar_follows_the_pages_seen() -> None:
    """The best share is relevant if few pages reach the fixed bar.

    A page of relevance 0 never is.
    """
    ranks = RelevanceRanks([0.0] * 5 + [0.01, 0.02, 0.03, 0.04, 0.05])
    bar = Bar(ranks, 0.2, 0.2)
    assert [bar.passes(relevance) for relevance in (0.0, 0.02, 0.03, 0.5)] == [
        False, False, True, True,
    ]  # fmt: skip
    assert Bar(RelevanceRanks([0.9] * 10), 0.2, 0.2).passes(0.2)
    assert not Bar(RelevanceRanks([0.0] * 10), 0.2, 0.2).passes(0.0)
