"""Near-duplicates are found by their shingles."""

from __future__ import annotations

import numpy as np

from evocrawl.simulation.evaluation.duplicates import near_duplicate_groups

WORDS = [f"word{number}" for number in range(5000)]


def text(seed: int, length: int = 400) -> list[str]:
    return list(np.random.default_rng(seed).choice(WORDS, length))


def test_a_page_with_a_changed_footer_is_the_same_page() -> None:
    """Two words of 400 differ; case and punctuation do not count."""
    page = text(1)
    copy = [word.upper() for word in page[:-2]] + ["other,", "footer!"]
    assert near_duplicate_groups([" ".join(page), " ".join(copy)]) == [0, 0]


def test_pages_that_share_half_are_two() -> None:
    """So are pages of other words, and of the same words in another order."""
    page = text(1)
    half = page[:200] + text(2)[:200]
    pages = [page, half, text(3), sorted(page)]
    assert near_duplicate_groups(" ".join(each) for each in pages) == [0, 1, 2, 3]


def test_empty_pages_are_duplicates_of_each_other() -> None:
    """They differ from others; short texts are compared as a whole."""
    assert near_duplicate_groups(["", "a b", "", "a b", "a c"]) == [0, 1, 0, 1, 4]


def test_groups_do_not_depend_on_chance() -> None:
    """The hash functions are part of the definition."""
    pages = [" ".join(text(seed % 7)) for seed in range(20)]
    assert near_duplicate_groups(pages) == near_duplicate_groups(pages)
    assert len(set(near_duplicate_groups(pages))) == 7
