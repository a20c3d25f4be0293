"""The smaller parts: columns, stored examples, weights of words, the profile, the prior."""

import numpy as np

from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model import FEATURES, prior
from evocrawl.species.evo.link_model.hashing import WIDTH, Hasher, plain
from evocrawl.species.evo.link_model.history import History
from evocrawl.species.evo.link_model.profile import NEEDED, Profile
from evocrawl.species.evo.link_model.table import Table
from evocrawl.species.evo.link_model.word_model import WordModel


def test_rows_keep_their_values_when_the_table_grows() -> None:
    """New rows have the initial value."""
    table = Table(flat=("f4", 0, 0.5), wide=("i4", 2, -1))
    for number in range(500):
        table.grow(1)
        table["flat"][number] = number
    assert table["flat"][:500].tolist() == list(range(500))
    assert (table["wide"] == -1).all()


def test_words_that_led_to_good_pages_make_a_link_good() -> None:
    """The weight of "no word" stays 0."""
    model = WordModel()
    words = np.array([[1, 2, 0], [3, 2, 0]], np.uint16)
    for _ in range(20):
        model.learn(words, np.array([1.0, 0.0]), 1.0)
    good, bad = model.logits(words)
    assert good > bad
    assert model.weights[0] == 0


def test_replay_uses_every_example_about_equally_often() -> None:
    """It makes no random draw."""
    history = History(1)
    assert len(history.replay(4)[0]) == 0
    for number in range(10):
        history.add(np.array([0.0]), number, np.full(WIDTH, number, np.uint16))
    words, met = map(np.concatenate, zip(*(history.replay(5) for _ in range(40)), strict=True))
    assert np.bincount(met, minlength=10).min() >= 15
    assert (words == met[:, None]).all()


def test_the_profile_has_words_of_good_pages_that_others_lack() -> None:
    """Common words are left out; a page with the words matches the profile."""
    hasher, profile = Hasher(Analyser("en")), Profile()
    texts = ["the coral reef"] * 5 + ["the stone road"] * 25
    for text in texts:
        profile.add(*hasher.page("", text))
    likeness = profile.refit(np.array([0.9] * 5 + [0.0] * 25))
    assert likeness[:5].min() > 0.9 > 0.1 > likeness[5:].max()
    assert profile.weights[hasher["coral"]] > 0 == profile.weights[hasher["the"]]
    links = hasher.links([("coral", "a stone coral", ""), ("stone", "", "")])
    words = np.concatenate((links, hasher.urls(["/the/coral", "/stone"])), axis=1)
    anchors, contexts, urls = profile.matches(plain(words)).tolist()
    assert anchors == [1.0, 0.0]
    assert contexts == [0.0, 0.0]
    assert np.allclose(urls, [0.5**0.5, 0.0])


def test_the_profile_waits_for_some_good_pages() -> None:
    """One good page does not define a topic."""
    hasher, profile = Hasher(Analyser("en")), Profile()
    for _ in range(10):
        profile.add(*hasher.page("", "coral"))
    assert not profile.refit(np.array([0.9] * (NEEDED - 1) + [0.0] * 8)).any()
    assert profile.label_share == 0


def test_the_prior_that_is_shipped_fits_the_features() -> None:
    """A precision is positive definite."""
    for each in (prior.shipped(), prior.by_hand()):
        assert each.mean.shape == (len(FEATURES),)
        assert np.linalg.eigvalsh(each.precision).min() > 0.5
