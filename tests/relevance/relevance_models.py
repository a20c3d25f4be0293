"""Models and functions of a user, which tests name by their path."""

from __future__ import annotations

from evocrawl.core.model import Content


class Longest:
    """Prefers long pages; `argument` is the length in characters that has relevance 1."""

    reads: frozenset[str] = frozenset()

    def __init__(self, query: str, language: str = "", *, argument: str = "100") -> None:  # noqa: ARG002
        self.most = int(argument or 100)

    def page(self, content: Content) -> float:
        return len(content.text) / self.most

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        return 0.0


class NoModel:
    """Has none of the methods of a model."""

    def __init__(self, query: str, language: str = "") -> None: ...


def share_of_letters(text: str) -> float:
    """Score a text by its share of letters."""
    return sum(each.isalpha() for each in text) / len(text)


def fail(text: str) -> float:
    """Fail on every page."""
    raise RuntimeError(text)


def no_number(text: str) -> float:
    """Return something else than a number."""
    return text  # type: ignore[return-value]


not_callable = 3
