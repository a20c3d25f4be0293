"""The shared model learns from pages, and any input leaves it finite."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_models import column, fresh, link, match, page, worth

from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model import LinkModel, prior
from evocrawl.species.evo.link_model.group_names import folder_of
from evocrawl.species.evo.outdated import MOST_CHANGES


def test_links_with_the_words_of_good_links_get_higher_scores() -> None:
    """After few pages, since the two levels learn together."""
    model = fresh()
    links = [link(f"{kind}{n}", f"{kind} item") for n in range(12) for kind in ("gem", "dross")]
    rows = model.observe_page(page("seed", 0.1, *links), None)
    for each in links[:-2]:
        name = each.url.rsplit("/", 1)[1]
        model.observe_page(page(name, 0.4 if "gem" in name else 0.0), rows[each.fingerprint])
    gem, dross = (rows[each.fingerprint] for each in links[-2:])
    assert worth(model, gem) > worth(model, dross) + 0.5


def test_a_link_that_matches_the_query_has_a_higher_score_from_the_start() -> None:
    """The prior has the weight of an anchor."""
    model = fresh()
    rows = [
        *model.observe_page(page("seed", 0.1, link("1", "coral"), link("2", "road")), None).values()
    ]
    assert worth(model, rows[0]) > worth(model, rows[1])


def test_all_links_to_a_target_count() -> None:
    """The best anchor, and the number of links."""
    model = fresh()
    first = model.observe_page(page("1", 0.1, link("x", "road")), None)[link("x").fingerprint]
    assert column(model, first, "anchor") == 0
    model.observe_page(page("2", 0.1, link("x", "coral")), None)
    assert column(model, first, "anchor") == 1
    assert column(model, first, "links") == pytest.approx(np.log1p(2) / 3)


def test_a_page_whose_links_were_good_is_a_hub() -> None:
    """The remaining links on it get higher scores."""
    model = fresh()
    hub, waste = ([link(f"{kind}{n}") for n in range(8)] for kind in ("good", "bad"))
    rows = model.observe_page(page("hub", 0.0, *hub), None) | model.observe_page(
        page("waste", 0.0, *waste), None
    )
    for n in range(6):
        model.observe_page(page(f"good{n}", 0.5), rows[hub[n].fingerprint])
        model.observe_page(page(f"bad{n}", 0.0), rows[waste[n].fingerprint])
    good, bad = rows[hub[7].fingerprint], rows[waste[7].fingerprint]
    assert column(model, good, "hub") > 0.1 > -0.1 > column(model, bad, "hub")
    near = rows[hub[6].fingerprint], rows[waste[6].fingerprint]
    assert column(model, near[0], "near") > 0.1 > -0.1 > column(model, near[1], "near")


def test_a_page_that_is_fetched_again_or_by_a_redirect_counts_once() -> None:
    """Its links count once, too; the address that redirected is not open."""
    model = fresh()
    rows = model.observe_page(page("seed", 0.1, link("old"), link("new")), None)
    target = page("new", 0.4, link("x"))
    assert model.observe_page(target, rows[link("old").fingerprint]) == model.observe_page(
        target, None
    )
    assert len(model.evidence.pages) == 2
    assert len(model.evidence.links) == 3
    assert not model.evidence.targets["is_open"][list(rows.values())].any()


def test_a_link_without_a_page_is_one_bad_example() -> None:
    """Also if it is observed several times."""
    model = fresh()
    row = model.observe_page(page("seed", 0.1, link("gone")), None)[link("gone").fingerprint]
    before = worth(model, row)
    model.observe_dead_link(row)
    model.observe_dead_link(row)
    assert model.evidence.tries == 2
    assert worth(model, row) < before


def test_a_good_page_and_what_other_workers_learnt_change_more_than_a_poor_page() -> None:
    """In a long crawl, links are scored again after the first, and after several of the other."""
    model = fresh()
    model.observe_page(page("poor", 0.0), None)
    assert model.version == 1
    model.observe_page(page("good", 0.9), None)
    assert model.version == 1 + MOST_CHANGES
    model.observe_foreign_pages([page("other", 0.0), page("better", 0.9)], [None, None])
    assert model.version == 1 + 2 * MOST_CHANGES
    model.mark(page("poor", 0.0).fingerprint, relevant=True)
    assert model.version == 1 + 3 * MOST_CHANGES


def test_a_crawl_learns_with_a_bar_of_0() -> None:
    """The setting `relevant_at` may be 0."""
    model = LinkModel(match, Analyser("en"), 0.0, prior.shipped())
    rows = model.observe_page(page("seed", 0.0, link("next")), None)
    assert np.isfinite(worth(model, rows[link("next").fingerprint]))
    model.observe_page(page("next", 0.1, link("last")), rows[link("next").fingerprint])
    assert column(model, rows[link("next").fingerprint], "barren") == 0


words = st.text(max_size=8)
pages = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.floats(0, 1),
        st.lists(st.tuples(st.integers(0, 9), words, words), max_size=6),
        st.booleans(),
    ),
    max_size=25,
)


@settings(max_examples=60)
@given(pages)
def test_every_feature_and_weight_is_finite_for_any_pages(
    crawl: list[tuple[int, float, list[tuple[int, str, str]], bool]],
) -> None:
    """R17, B041: for pages of any relevance, fetched again, with any links, or missing."""
    model, rows = fresh(), dict[bytes, int]()
    for name, relevance, links, is_missing in crawl:
        row = rows.get(fingerprint(f"http://a.test/{name}"))
        if is_missing and row is not None:
            model.observe_dead_link(row)
            continue
        made = [link(str(target), anchor, context) for target, anchor, context in links]
        rows |= model.observe_page(
            page(str(name), relevance, *made, text="coral stone " * name), row
        )
        model.refit()
    every = np.arange(len(model.evidence.targets))
    features = model.features(every)
    assert np.isfinite(features).all()
    assert np.abs(features).max(initial=0.0) < 5
    assert np.isfinite(model.posterior.mean).all()
    assert (model.evidence.groups["gained"] > -1e-3).all()


def test_links_beside_dead_links_get_lower_scores() -> None:
    """On a host without responses; then on other hosts, and in folders of a host that responds."""
    model = fresh()
    links = [link(f"old/{n}") for n in range(6)] + [link(str(n), host="b.test") for n in range(6)]
    links += [link("new/page"), link("page", host="c.test")]
    rows = model.observe_page(page("seed", 0.1, *links), None)
    old, elsewhere, answers, unknown = (rows[links[n].fingerprint] for n in (5, 11, 12, 13))
    assert column(model, unknown, "alive") == pytest.approx(np.log(0.9) / 3)
    for each in links[6:11]:
        model.observe_dead_link(rows[each.fingerprint])
    assert column(model, elsewhere, "alive") < column(model, unknown, "alive")
    assert column(model, unknown, "alive") < column(model, answers, "alive") < 0
    assert worth(model, unknown) < worth(model, answers)
    for n in range(5):
        model.observe_page(page(f"old/{n}", 0.0), rows[links[n].fingerprint])
    assert column(model, elsewhere, "alive") < column(model, old, "alive")


def test_a_dead_link_that_leads_to_a_page_later_counts_as_two_visits() -> None:
    """So that the sums of its host contain the label that a refit changes."""
    model = fresh()
    rows = model.observe_page(page("seed", 0.1, link("late"), link("moved")), None)
    late, moved = (rows[link(name).fingerprint] for name in ("late", "moved"))
    tries, labels = model.evidence.tries, model.evidence.labels
    for row in (late, moved):
        model.observe_dead_link(row)
    model.observe_page(page("late", 0.9), late)
    label = float(model.evidence.pages["label"][model.evidence.page_of(late)])
    assert label > 0
    assert model.evidence.labels == pytest.approx(labels + label)
    assert model.evidence.tries == tries + 3
    model.observe_page(page("late", 0.9), moved)
    model.observe_page(page("late", 0.9), moved)
    assert model.evidence.tries == tries + 4


def test_missing_pages_do_not_change_the_weights_of_words() -> None:
    """Neither at the visit nor when old examples are learnt again."""
    model = fresh()
    links = [link(f"coral{n}", "coral reef", host=f"{n}.test") for n in range(8)]
    rows = model.observe_page(page("seed", 0.1, *links, link("other", "road")), None)
    for each in links:
        model.observe_dead_link(rows[each.fingerprint])
    assert not model.words.weights.any()
    model.observe_page(page("other", 0.0), rows[link("other").fingerprint])
    assert model.words.weights.any()
    assert column(model, rows[links[0].fingerprint], "words_max") > column(
        model, rows[link("other").fingerprint], "words_max"
    )


def test_the_folder_of_a_url() -> None:
    """Host and path up to the last slash."""
    assert folder_of("http://a.test", "a.test") == folder_of("http://a.test/x?/", "a.test")


def test_links_that_a_known_page_has_later_get_the_evidence_of_their_anchor_and_page() -> None:
    """They have the score of links that the page had from the start, and count once."""
    early, late, last = (link(name, "coral item", "coral") for name in ("early", "late", "last"))
    in_parts, at_once = fresh(), fresh()
    in_parts.observe_page(page("seed", 0.1, early), None)
    rows = in_parts.observe_page(page("seed", 0.1, late), None)
    expected = at_once.observe_page(page("seed", 0.1, early, late), None)
    row = rows[late.fingerprint]
    assert worth(in_parts, row) == pytest.approx(worth(at_once, expected[late.fingerprint]))
    assert in_parts.evidence.incoming(row).target["links"][0][:2].tolist() == [1, -1]
    before = len(in_parts.evidence.links)
    in_parts.observe_page(page("seed", 0.1, early, late, last), None)
    assert len(in_parts.evidence.links) == before + 1


def test_a_later_link_to_a_visited_target_counts_for_the_page() -> None:
    """The page is credited with the label of the target, as for a link that it had before."""
    good, other = link("good"), link("other")
    in_parts, at_once = fresh(), fresh()
    for model, links in ((in_parts, (other,)), (at_once, (other, good))):
        seed = model.observe_page(page("seed", 0.1, *links), None)
        model.observe_page(page("good", 0.9), None)
        model.observe_page(page("seed", 0.1, good), None)
        assert seed
    pages = [model.evidence.pages for model in (in_parts, at_once)]
    assert [each["tried"][0] for each in pages] == [1, 1]
    assert pages[0]["gained"][0] == pytest.approx(pages[1]["gained"][0])


@given(
    st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=12), min_size=1, max_size=8),
    st.integers(0, 9),
)
def test_a_page_has_one_link_to_each_target_however_often_it_is_shown(
    shown: list[list[int]], others: int
) -> None:
    """This holds for any number of links to the same targets on other pages."""
    model = fresh()
    for number in range(others):
        model.observe_page(page(f"other{number}", 0.1, *(link(str(n)) for n in range(30))), None)
    before = len(model.evidence.links)
    for numbers in shown:
        model.observe_page(page("seed", 0.1, *(link(str(n)) for n in numbers)), None)
    added = model.evidence.links["target"][before:].tolist()
    assert len(added) == len(set(added)) <= len({n for numbers in shown for n in numbers})
