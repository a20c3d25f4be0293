"""Best-first by page and words."""

from crawled import Pages, order, to


def test_words_and_page_have_equal_weight() -> None:
    """A good link on a poor page may come before a poor link on a fair page, and vice versa."""
    web: Pages = {
        "seed": (0.0, [to("fair", "0.4", "0.4"), to("poor", "0.3", "0.3")]),
        "fair": (0.5, [to("silent"), to("said", "0.2", "0.2")]),
        "poor": (0.1, [to("named", "0.9", "0.9"), to("never")]),
        "silent": (0.0, []),
        "said": (0.0, []),
        "named": (0.0, []),
        "never": (0.0, []),
    }
    assert order("best_first_anchor", web) == [
        "seed", "fair", "said", "silent", "poor", "named", "never",
    ]  # fmt: skip


def test_a_link_found_twice_keeps_the_better_score() -> None:
    """The best score of all places where a link was found counts."""
    web: Pages = {
        "seed": (0.0, [to("twice"), to("hub", "1", "1"), to("once", "0.3", "0.3")]),
        "hub": (0.9, [to("twice")]),
        "twice": (0.0, []),
        "once": (0.0, []),
    }
    assert order("best_first_anchor", web) == ["seed", "hub", "twice", "once"]
