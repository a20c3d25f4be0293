"""Fish-Search: the list of three parts."""

from crawled import Pages, order, to

GOOD, POOR = 0.9, 0.0


def leaves(*names: str) -> Pages:
    """Return pages without links and relevance."""
    return {name: (POOR, []) for name in names}


def test_links_of_the_latest_relevant_page_go_first() -> None:
    """At the beginning of the list pages are last in, first out; their links keep their order."""
    web: Pages = {
        "seed": (GOOD, [to("a"), to("b")]),
        "a": (GOOD, [to("a1"), to("a2")]),
        **leaves("b", "a1", "a2"),
    }
    assert order("fish_search", web) == ["seed", "a", "a1", "a2", "b"]


def test_links_of_other_pages_wait_behind_those_of_relevant_ones() -> None:
    """They are put after the last link of a relevant page, before older ones of their kind."""
    web: Pages = {
        "seed": (GOOD, [to("dry"), to("wet")]),
        "dry": (POOR, [to("dry1"), to("dry2")]),
        "wet": (GOOD, [to("wet1")]),
        **leaves("wet1", "dry1", "dry2"),
    }
    assert order("fish_search", web) == ["seed", "dry", "wet", "wet1", "dry1", "dry2"]


def test_width_limits_how_many_links_are_preferred() -> None:
    """Of 9 links of a relevant page 7 (1.5 · 5) go first, two wait after all others."""
    names = [f"n{number}" for number in range(9)]
    web: Pages = {
        "seed": (GOOD, [to(name) for name in names]),
        **leaves(*names),
        "n0": (POOR, [to(f"c{number}") for number in range(7)]),
        **leaves(*(f"c{number}" for number in range(7))),
    }
    visited = order("fish_search", web)
    assert visited[1:8] == names[:7]
    assert visited[8:] == ["c0", "c1", "c2", "c3", "c4", "n7", "n8", "c5", "c6"]


def test_links_to_other_hosts_are_selected_first() -> None:
    """Within a host they keep the order of the document."""
    names = [f"n{number}" for number in range(8)]
    web: Pages = {
        "seed": (GOOD, [*(to(name) for name in names), to("b.test/away")]),
        **leaves(*names, "b.test/away"),
    }
    visited = order("fish_search", web)
    assert visited[1] == "b.test/away"
    assert visited[-2:] == ["n6", "n7"]


def test_fish_starve_without_relevant_pages() -> None:
    """Beyond a depth of 3, links go to the end; before it they go ahead of earlier links."""
    web: Pages = {
        "seed": (GOOD, [to("d3")]),
        "d3": (POOR, [to("d2"), to("late2")]),
        "d2": (POOR, [to("d1"), to("late1")]),
        "d1": (POOR, [to("d0"), to("late0")]),
        "d0": (POOR, [to("starved")]),
        **leaves("late2", "late1", "late0", "starved"),
    }
    assert order("fish_search", web) == [
        "seed", "d3", "d2", "d1", "d0", "late0", "late1", "late2", "starved",
    ]  # fmt: skip
