"""Whether the words of an anchor describe its target, in any script."""

from __future__ import annotations

import pytest

from evocrawl.extraction.anchor_words import describes_better, describes_page, describes_well


@pytest.mark.parametrize(
    "anchor",
    [
        "→",
        "12 comments",
        "READ MORE",
        "続きを読む",
        "もっと見る",
        "查看详情",
        "Читать ещё",
        "٣",
        "…",
    ],
)
def test_common_words_of_links_do_not_describe_the_target(anchor: str) -> None:
    """Such as "more", in several languages, scripts and spellings; nor do numbers."""
    assert not describes_page(anchor)


@pytest.mark.parametrize("anchor", ["प्रवाल", "ปะการัง", "深海", "Ölpest", "mp3", "続きを読む人"])
def test_one_descriptive_word_is_enough(anchor: str) -> None:
    """Also together with common words of links."""
    assert describes_page(anchor)


def test_marks_split_no_word() -> None:
    """A Hindi word with three vowel signs is one word, as a pointed Hebrew one is."""
    assert not describes_well("हिन्दी भाषा")
    assert describes_well("प्रवाल भित्तियों का विरंजन")
    assert not describes_well("שָׁלוֹם עולם")


def test_scripts_without_spaces_are_measured_in_characters() -> None:
    """Six characters count as one more word."""
    assert describes_well("再生可能エネルギーの利用について")
    assert describes_better("再生可能エネルギー", "深海")
    assert not describes_better("深海", "再生可能エネルギー")
