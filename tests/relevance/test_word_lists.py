"""The word lists are those that wordfreq reads."""

from __future__ import annotations

import pytest

from evocrawl.relevance.word_lists import frequency_list


@pytest.mark.parametrize(
    ("language", "size"),
    [("en", "small"), ("de", "best"), ("he", "large"), ("fil", "best"), ("zh", "small")],
)  # fmt: skip
def test_a_list_is_read_as_the_package_reads_it(language: str, size: str) -> None:
    import wordfreq  # its import takes a second

    read = wordfreq.get_frequency_list.__wrapped__
    assert frequency_list(language, size) == read(language, size)


def test_a_closely_related_language_has_the_same_list() -> None:
    assert frequency_list("no") == frequency_list("nb")


def test_a_language_without_a_list_cannot_be_looked_up() -> None:
    for language in ("xx", "zz"):
        with pytest.raises(LookupError):
            frequency_list(language)
