"""What an anchor says about its target, in any script."""

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
def test_words_of_links_say_nothing(anchor: str) -> None:
    """In several languages and scripts, in any spelling; nor do numbers."""
    assert not describes_page(anchor)


@pytest.mark.parametrize("anchor", ["प्रवाल", "ปะการัง", "深海", "Ölpest", "mp3", "続きを読む人"])
def test_one_descriptive_word_is_enough(anchor: str) -> None:
    """Also together with words that say nothing."""
    assert describes_page(anchor)


def test_marks_split_no_word() -> None:
    """A Hindi word with three vowel signs is one word, as a pointed Hebrew one is."""
    assert not describes_well("हिन्दी भाषा")
    assert describes_well("प्रवाल भित्तियों का विरंजन")
    assert not describes_well("שָׁלוֹם עולם")


def test_scripts_without_spaces_are_measured_by_their_signs() -> None:
    """Six signs are about a word more."""
    assert describes_well("再生可能エネルギーの利用について")
    assert describes_better("再生可能エネルギー", "深海")
    assert not describes_better("深海", "再生可能エネルギー")
