"""Spiders that still differ from stock Scrapy and are not to, with the case that says so."""

from __future__ import annotations

CALLS = {
    **dict.fromkeys(
        (
            "AlikeList", "AlikeListUnfiltered", "AlikeCategories", "CategoriesSideBySide", "Shells",
            "ShellsAndDetails", "ShellsAndApi", "ShellsAndPost", "ShellsUnfiltered",
            "SameTextEverywhere", "SpiderMiddlewareAtStart",
        ),
        "C14",
    ),
    **dict.fromkeys(("AwaitsWhatItYielded", "AwaitsWhatAnErrbackFinds", "WorksUntilDone"), "C15"),
    "SchedulerStats": "C16",
}  # fmt: skip
"""What differs in items, callbacks or errbacks."""

REASONS = {}
"""What ends for another reason, or does not end."""
