"""What several models learn is added: the posterior, the counts, the words and the good pages."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.evidence import SHARED_GROUPS
from evocrawl.species.evo.link_model.part import pack, same, unpack
from evocrawl.species.evo.link_model.posterior import Posterior

D = 4
X = arrays(float, D, elements=st.floats(-2, 2))
EXAMPLES = st.lists(st.tuples(X, st.floats(0, 1), st.floats(0.1, 2)), max_size=12)
Examples = list[tuple[npt.NDArray[np.float64], float, float]]


def taught(examples: Examples) -> Posterior:
    posterior = Posterior(np.linspace(-1, 1, D), 2 * np.eye(D))
    for x, y, weight in examples:
        posterior.update(x, y, weight)
    if examples:
        xs, ys, weights = (np.array(each) for each in zip(*examples, strict=True))
        posterior.refit(xs, ys, weights)
    return posterior


@given(st.lists(EXAMPLES, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_posteriors_that_exchange_have_the_posterior_of_all_evidence(
    crews: list[Examples], order: object
) -> None:
    """Each equals one with the evidence of all, in any order, to 1e-9."""
    each = [taught(examples) for examples in crews]
    learnt = [one.learnt() for one in each]
    whole = taught([])
    for evidence in sorted(learnt, key=lambda _: order.random()):  # type: ignore[attr-defined]
        whole.absorb(*evidence)
    for number, one in enumerate(each):
        for other, evidence in enumerate(learnt):
            if other != number:
                one.absorb(*evidence)
        assert np.allclose(one.mean, whole.mean, atol=1e-9)
        assert np.allclose(one.covariance, whole.covariance, atol=1e-9)
        for again, before in zip(one.learnt(), learnt[number], strict=True):
            assert np.allclose(again, before, atol=1e-8)


@given(EXAMPLES, EXAMPLES)
def test_evidence_taken_back_leaves_the_posterior_as_it_was(one: Examples, other: Examples) -> None:
    posterior, evidence = taught(one), taught(other).learnt()
    before = posterior.mean.copy()
    posterior.absorb(*evidence)
    posterior.refit(np.empty((0, D)), np.empty(0), np.empty(0))
    empty = taught([])
    empty.absorb(*evidence)
    assert np.allclose(posterior.mean, empty.mean, atol=1e-6)
    posterior = taught(one)
    posterior.absorb(*evidence)
    posterior.absorb(*(-each for each in evidence))
    assert np.allclose(posterior.mean, before, atol=1e-8)


def fresh() -> LinkModel:
    return LinkModel(
        lambda anchor, context: 0.5 * ("gem" in anchor + context),
        Analyser("en"),
        0.5,
        prior.shipped(),
    )


def site(name: str, good: int, bad: int) -> list[Page]:
    """Return a site whose first page links to all others; their words show the good ones."""
    host, names = f"http://{name}.test", [f"gem{n}" for n in range(good)]
    names += [f"dross{n}" for n in range(bad)]
    links = tuple(
        Link(f"{host}/{each}", fingerprint(f"{host}/{each}"), each[:-1], tag_path="ul/li")
        for each in names
    )
    start = Page(f"{host}/", fingerprint(f"{host}/"), 0.1, 0.0, links, content=Content("start", ""))
    pages = [start]
    for link, each in zip(links, names, strict=True):
        is_good = each.startswith("gem")
        text = f"{'coral polyp' if is_good else 'road'} {name} {each}"
        # No two pages are equally good, since the best ones would depend on the order.
        relevance = 0.4 + 0.01 * len(pages) + 0.001 * ord(name) / 100 if is_good else 0.0
        content = Content(each, text)
        pages.append(Page(link.url, link.fingerprint, relevance, 0.0, (), content=content))
    return pages


def read(model: LinkModel, pages: list[Page]) -> None:
    for page in pages:
        model.observe_page(page, model.row_of(page.fingerprint))


SITES = [site("a", 6, 9), site("b", 4, 14), site("c", 0, 5)]


def crew() -> list[LinkModel]:
    models = []
    for pages in SITES:
        models.append(fresh())
        models[-1].sharing = models[-1].share()  # type: ignore[attr-defined]
        read(models[-1], pages)
    return models


def exchange(models: list[LinkModel]) -> None:
    packed = [each.sharing.pack() for each in models]  # type: ignore[attr-defined]
    for number, each in enumerate(models):
        others = [row for other, row in enumerate(packed) if other != number]
        sharing = each.sharing  # type: ignore[attr-defined]
        sharing.merge([sharing.unpack(row) for row in others])


def test_models_that_exchange_know_the_same_as_one_with_all_pages() -> None:
    """Visits, groups, background, the reference and the profile; also after several exchanges."""
    models, whole = crew(), fresh()
    for pages in SITES:
        read(whole, pages)
    exchange(models)
    for each in (*models, whole):
        each.refit()
    exchange(models)
    exchange(models)
    for each in models:
        assert each.evidence.tries == whole.evidence.tries
        assert each.labels.reference == pytest.approx(whole.labels.reference, abs=1e-6)
        assert each.evidence.labels == pytest.approx(whole.evidence.labels, abs=0.02)
        for name in ("tried", "dead"):
            ours, all_of_it = (m.evidence.groups[name][:SHARED_GROUPS] for m in (each, whole))
            assert np.array_equal(ours, all_of_it)
        assert np.allclose(each.profile.weights, whole.profile.weights, atol=2e-3)
        assert each.profile.label_share == whole.profile.label_share > 0
    means = [each.mean for each in models]
    assert all(np.allclose(mean, means[0], atol=1e-9) for mean in means)


def test_a_model_without_pages_of_its_own_has_the_profile_of_the_others() -> None:
    """A population that waits for better links of others fetches none, and names its best link."""
    waiting, whole = fresh(), fresh()
    urls = {each: f"http://d.test/{each}" for each in ("coral", "road", "")}
    links = tuple(Link(url, fingerprint(url), each) for each, url in urls.items() if each)
    page = Page(urls[""], fingerprint(urls[""]), 0.1, 0.0, links, content=Content("", ""))
    sharing = waiting.share()
    read(whole, SITES[0])
    whole.refit()
    rows = [*waiting.observe_foreign_pages([page], [None])[0].values()]
    sharing.merge([crew()[0].sharing.part()])  # type: ignore[attr-defined]
    assert waiting.labels.reference == pytest.approx(whole.labels.reference, abs=1e-6)
    assert np.allclose(waiting.profile.weights, whole.profile.weights, atol=2e-3)
    coral, road = waiting.features(np.array(rows))[:, FEATURES.index("anchor_profile")]
    assert coral > 0 == road


def test_a_model_prefers_what_others_found_good_and_no_part_is_counted_twice() -> None:
    """The words of the third model's own pages were all bad."""
    models = crew()
    urls = {each: f"http://d.test/{each}" for each in ("gem", "dross", "")}
    links = tuple(Link(url, fingerprint(url), each) for each, url in urls.items() if each)
    new = Page(urls[""], fingerprint(urls[""]), 0.1, 0.0, links, content=Content("", ""))
    before = models[2].sharing.part()  # type: ignore[attr-defined]
    for _ in range(3):
        exchange(models)
    assert models[2].evidence.tries == sum(map(len, SITES))
    after = models[2].sharing.part()  # type: ignore[attr-defined]
    assert np.allclose(after.precision, before.precision, atol=1e-6)
    assert np.allclose(after.group_sums, before.group_sums, atol=1e-5)
    rows = [*models[2].observe_page(new, None).values()]
    gem, dross = models[2].scores(models[2].features(np.array(rows)))
    assert gem > dross + 0.5
    alone = crew()[2]
    rows = [*alone.observe_page(new, None).values()]
    gem_alone, dross_alone = alone.scores(alone.features(np.array(rows)))
    assert gem - dross > gem_alone - dross_alone


def test_a_page_that_a_user_has_marked_is_good_for_the_others() -> None:
    models = crew()
    page = SITES[0][-1]
    assert models[0].mark(page.fingerprint, relevant=True)
    part = models[0].sharing.part()  # type: ignore[attr-defined]
    assert part.good.max() > 1
    assert (unpack(pack(part)).good <= 2).all()


def test_a_part_is_read_as_it_was_written_and_is_small() -> None:
    part = crew()[0].sharing.part()  # type: ignore[attr-defined]
    packed = pack(part)
    assert len(packed) < 60_000
    assert same(unpack(packed), unpack(pack(unpack(packed))))
    assert np.array_equal(unpack(packed).precision, part.precision)


def test_cosines_of_links_whose_words_are_all_near_the_query_may_be_above_1() -> None:
    """The words of a field count as orthogonal. In a crawl such parts went to the quarantine."""
    cosines = np.array([[7.0] * 3, [1.27 * 7] * 3, [1.27**2 * 7] * 3])
    part = replace(crew()[2].sharing.part(), cosines=cosines)  # type: ignore[attr-defined]
    assert np.array_equal(unpack(pack(part)).cosines, cosines)


@pytest.mark.parametrize(
    "change",
    [
        {"precision": np.full(len(FEATURES) * (len(FEATURES) + 1) // 2, np.nan)},
        {"precision": -np.ones(len(FEATURES) * (len(FEATURES) + 1) // 2)},
        {"weighted": np.full(len(FEATURES), np.inf)},
        {"weighted": np.full(len(FEATURES), 1e12)},
        {"sums": np.array([1.0, -1.0, 0.0, 0.0])},
        {"cosines": np.full((3, 3), np.nan)},
        {"cosines": np.array([[-1.0] * 3, [0.0] * 3, [0.0] * 3])},
        {"cosines": np.array([[1.0] * 3, [-9.0] * 3, [0.0] * 3])},
        {"cosines": np.array([[1.0] * 3, [0.5] * 3, [-1.0] * 3])},
        {"best": np.array([1.5])},
        {"best": np.array([-0.5])},
        {"good": np.array([9.0]), "good_ids": np.zeros((1, 128)), "good_values": np.ones((1, 128))},
        {"words": np.array([5, 5]), "word_sums": np.ones((2, 2))},
        {"words": np.array([5]), "word_sums": np.array([[1.0, -1.0]])},
        {"words": np.array([5]), "word_sums": np.array([[np.nan, 1.0]])},
        {"groups": np.array([60_000]), "group_sums": np.ones((1, 3))},
        {"background": np.array([7]), "background_sums": np.array([[-1.0, 1.0]])},
    ],
)
def test_a_part_with_wrong_numbers_is_refused(change: dict[str, npt.NDArray[np.float64]]) -> None:
    """Any client of Redis can write one."""
    part = crew()[2].sharing.part()  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"."):
        unpack(pack(replace(part, **change)))


def test_other_bytes_are_no_part() -> None:
    packed = pack(crew()[2].sharing.part())  # type: ignore[attr-defined]
    head, body = packed[:32], packed[32:]
    broken = [
        b"", b"evoL", b"x" + packed[1:], packed[:4] + b"\x09\x00" + packed[6:], packed[:-9], head,
        head + zlib.compress(b"\0" * 10_000_000), head + zlib.compress(zlib.decompress(body)[:-1]),
        head + b"\0" * (1 << 21), packed[:12] + b"\xff" * 20 + body, b"\x80\x04" + packed,
    ]  # fmt: skip
    for row in broken:
        with pytest.raises(ValueError, match=r"."):
            unpack(row)


@settings(max_examples=50)
@given(st.binary(max_size=400))
def test_no_bytes_break_the_reader(body: bytes) -> None:
    packed = pack(crew_part())
    with pytest.raises(ValueError, match=r"."):
        unpack(packed[:32] + body)


def crew_part():
    return fresh().share().part()
